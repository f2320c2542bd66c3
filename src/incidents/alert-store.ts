import { type SQL, sql } from 'drizzle-orm'
import { notified } from '../notifications/store.ts'

const GRAVEST_FIRST = '{critical,error,warning,info}'

/**
 * The common table expression `notified` for the incidents that a statement opens, as far as operators want to hear:
 * once for each agent, of the gravest of its incidents and how many more there are.
 *
 * The operator is looked up by id, whatever number of incidents the planner expects: hence the limit.
 *
 * @param opened selects `id, operator_id, reg, title, severity, description` of each incident
 */
export function incidentAlerts(opened: SQL, now: Date): SQL {
  const gravest = sql`
      select i.id as incident_id, i.operator_id, i.reg, 'Incident: ' || i.title || more as title,
        rtrim('Severity ' || i.severity || '. ' || i.description) as body
      from (
        select distinct on (operator_id, reg) *, case count(*) over of_agent when 1 then ''
          else ', and ' || count(*) over of_agent - 1 || ' more' end as more
        from (${opened}) opened window of_agent as (partition by operator_id, reg)
        order by operator_id, reg, array_position(${GRAVEST_FIRST}::text[], severity), title, description
      ) i cross join lateral (
        select (notification_prefs ->> 'incident_alerts')::boolean as wanted from operators where id = i.operator_id limit 1
      ) o where o.wanted`
  return notified(gravest, 'incident_alert', now, sql`incident_id`)
}
