-- Rights of the Worker on the new table, and the state that agents scored before would have.
GRANT SELECT, INSERT, UPDATE ON ownership_challenges TO registry_worker;
--> statement-breakpoint
-- Touches each agent that has reported; rows are locked until the end of the migration.
UPDATE agent_stats SET
  scored_day = (coalesce(trust_score_updated, last_active_at) AT TIME ZONE 'utc')::date,
  trust_level = (coalesce(trust_score_overall, 0) >= 40)::integer + (coalesce(trust_score_overall, 0) >= 60)::integer
    + (coalesce(trust_score_overall, 0) >= 80)::integer
WHERE last_active_at IS NOT NULL AND NOT deactivated;
