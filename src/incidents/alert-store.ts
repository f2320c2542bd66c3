import { type SQL, sql } from 'drizzle-orm'
import { notified } from '../notifications/store.ts'

const GRAVEST_FIRST = '{critical,error,warning,info}'

/**
 * Common table expressions that tell operators of the incidents which a statement opens, as far as they want to hear:
 * once for each agent, of the gravest of its incidents and how many more there are.
 *
 * The operator is looked up by id, whatever number of incidents the planner expects: hence the limit.
 *
 * @param from names a CTE with `operator_id`, `reg`, `title`, `severity` and `description` of each opened incident
 */
export function incidentAlerts(from: SQL, now: Date): SQL {
  return sql`alerts as (
      select i.operator_id, i.reg, 'Incident: ' || i.title || more as title,
        rtrim('Severity ' || i.severity || '. ' || i.description) as body
      from (
        select distinct on (operator_id, reg) *, case count(*) over of_agent when 1 then ''
          else ', and ' || count(*) over of_agent - 1 || ' more' end as more
        from ${from} window of_agent as (partition by operator_id, reg)
        order by operator_id, reg, array_position(${GRAVEST_FIRST}::text[], severity), title, description
      ) i cross join lateral (
        select (notification_prefs ->> 'incident_alerts')::boolean as wanted from operators where id = i.operator_id limit 1
      ) o where o.wanted
    ), ${notified(sql`alerts`, 'incident_alert', now)}`
}
