import { type SQL, sql } from 'drizzle-orm'
import { notified } from '../notifications/store.ts'

const GRAVEST_FIRST = '{critical,error,warning,info}'
const NOT_TOLD = ' You are not told of more incidents of this minute: see the list of incidents.'

/**
 * The common table expression `notified` for the incidents that a statement opens, as far as operators want to hear:
 * once for each agent, of the gravest of its incidents and how many more there are. Of a minute whose incidents are too
 * many to be reported the last notification says so: whoever may report on an agent cannot flood its operator.
 *
 * The operator is looked up by id, whatever number of incidents the planner expects: hence the limit.
 *
 * @param opened selects `id, operator_id, reg, title, severity, description, is_last` (whether more of this minute are not
 * told) of each incident that may be reported
 */
export function incidentAlerts(opened: SQL, now: Date): SQL {
  const gravest = sql`
      select i.id as incident_id, i.operator_id, i.reg, 'Incident: ' || i.title || more as title,
        rtrim('Severity ' || i.severity || '. ' || i.description)
          || case when i.is_end then ${NOT_TOLD}::text else '' end as body
      from (
        select distinct on (operator_id, reg) *, case count(*) over of_agent when 1 then ''
          else ', and ' || count(*) over of_agent - 1 || ' more' end as more,
          bool_or(is_last) over of_agent as is_end
        from (${opened}) opened window of_agent as (partition by operator_id, reg)
        order by operator_id, reg, array_position(${GRAVEST_FIRST}::text[], severity), title, description
      ) i cross join lateral (
        select (notification_prefs ->> 'incident_alerts')::boolean as wanted from operators where id = i.operator_id limit 1
      ) o where o.wanted`
  return notified(gravest, 'incident_alert', now, sql`incident_id`)
}
