import { type SQL, sql } from 'drizzle-orm'
import { notifyOperators } from '../notifications/store.ts'

const MOST_SEVERE_FIRST = '{critical,error,warning,info}'
const MORE_OMITTED =
  ' You receive no notifications about further incidents in this minute: see the list of incidents.'

/**
 * An expression that notifies the operators that want incident alerts about the incidents that a statement opens: one
 * notification per agent, with its most severe incident and the number of the others. When an agent's quota of a minute is
 * used up, the last notification says so: reporters cannot flood an operator with notifications.
 *
 * The `limit 1` makes the planner look up each operator by id, no matter how many incidents it expects.
 *
 * @param opened selects `id, operator_id, reg, title, severity, source, platform, description, is_last` of each incident
 * to notify about; `is_last`: further incidents of this minute cause no notification
 */
export function incidentAlerts(opened: SQL, now: Date): SQL {
  const alerts = sql`
      select i.id as incident_id, i.severity = 'critical' as critical, i.operator_id, i.reg, 'Incident: ' || i.title || more as title,
        rtrim('Severity ' || i.severity || ', reported by '
          || coalesce('platform ' || i.platform || ' (' || i.source || ')', 'its operator') || '. ' || i.description)
          || case when i.is_end then ${MORE_OMITTED}::text else '' end as body
      from (
        select distinct on (operator_id, reg) *, case count(*) over of_agent when 1 then ''
          else ', and ' || count(*) over of_agent - 1 || ' more' end as more,
          bool_or(is_last) over of_agent as is_end
        from (${opened}) opened window of_agent as (partition by operator_id, reg)
        order by operator_id, reg, array_position(${MOST_SEVERE_FIRST}::text[], severity), title, description
      ) i cross join lateral (
        select (notification_prefs ->> 'incident_alerts')::boolean as wanted from operators where id = i.operator_id limit 1
      ) o where o.wanted`
  return notifyOperators('incident_alert', alerts, now)
}
