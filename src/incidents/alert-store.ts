import { type SQL, sql } from 'drizzle-orm'
import { notified } from '../notifications/store.ts'

/**
 * Common table expressions that tell operators of the incidents which a statement opens, as far as they want to hear.
 *
 * @param from names a CTE with `operator_id`, `reg`, `title`, `severity` and `description` of each opened incident
 */
export function incidentAlerts(from: SQL, now: Date): SQL {
  return sql`alerts as (
      select o.id as operator_id, i.reg, 'Incident: ' || i.title as title,
        rtrim('Severity ' || i.severity || '. ' || i.description) as body
      from ${from} i join operators o on o.id = i.operator_id
      where (o.notification_prefs ->> 'incident_alerts')::boolean
    ), ${notified(sql`alerts`, 'incident_alert', now)}`
}
