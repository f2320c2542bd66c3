-- What tables alone cannot say: the append-only log, page fill, and the Worker's role.
-- Locks: ALTER TABLE, ALTER INDEX and CREATE TRIGGER take brief exclusive locks on tables that are still empty here.

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only: % is refused', TG_TABLE_NAME, TG_OP USING ERRCODE = 'insufficient_privilege';
END $$;
--> statement-breakpoint
CREATE TRIGGER activity_events_immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON activity_events
FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
--> statement-breakpoint
-- ALWAYS: also for the owner, and with session_replication_role = replica.
ALTER TABLE activity_events ENABLE ALWAYS TRIGGER activity_events_immutable;
--> statement-breakpoint
-- Rows that every event updates: room on their page keeps the updates out of the indexes.
ALTER TABLE agent_stats SET (fillfactor = 50);
--> statement-breakpoint
ALTER TABLE agent_daily SET (fillfactor = 70);
--> statement-breakpoint
ALTER TABLE number_slots SET (fillfactor = 10);
--> statement-breakpoint
-- Merged at once: a search must not have to read through unmerged entries.
ALTER INDEX agents_search SET (fastupdate = off);
--> statement-breakpoint
ALTER INDEX agents_name_trigrams SET (fastupdate = off);
--> statement-breakpoint
ALTER INDEX agents_specializations SET (fastupdate = off);
--> statement-breakpoint
-- Who deploys gives the role its password and the right to log in (README, "Deploy").
DO $$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'registry_worker') THEN
    CREATE ROLE registry_worker NOLOGIN;
  END IF;
END $$;
--> statement-breakpoint
ALTER ROLE registry_worker SET statement_timeout = '5s';
--> statement-breakpoint
ALTER ROLE registry_worker SET lock_timeout = '3s';
--> statement-breakpoint
ALTER ROLE registry_worker SET timezone = 'UTC';
--> statement-breakpoint
-- Every statement is short: starting parallel workers or compiling it would cost more than it could save.
ALTER ROLE registry_worker SET max_parallel_workers_per_gather = 0;
--> statement-breakpoint
ALTER ROLE registry_worker SET jit = off;
--> statement-breakpoint
-- How alike a word must be for typo help: 0.4 finds two swapped letters, the default of 0.6 does not.
ALTER ROLE registry_worker SET pg_trgm.word_similarity_threshold = 0.4;
--> statement-breakpoint
GRANT SELECT, INSERT, UPDATE ON operators, platforms, agents, agent_stats, number_slots, api_keys, agent_daily,
  trust_scores, incidents, kyc_checks, job_runs TO registry_worker;
--> statement-breakpoint
GRANT SELECT, INSERT ON activity_events, audit_log TO registry_worker;
--> statement-breakpoint
-- Kept for a time only: the clean-up deletes what is over.
GRANT SELECT, INSERT, DELETE ON webhook_events, usage_folds TO registry_worker;
--> statement-breakpoint
GRANT SELECT, INSERT, UPDATE, DELETE ON sessions, webhook_deliveries, webhook_attempts, notifications, idempotency_keys
  TO registry_worker;
