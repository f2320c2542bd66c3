-- What tables alone cannot say: numbers, the append-only log, page fill, and the Worker's role.
-- Locks: ALTER TABLE and CREATE TRIGGER take brief exclusive locks on tables that are still empty here.

-- The check character of an agent number (ISO/IEC 7064, MOD 37,36); its twin in TypeScript is checkCharacter.
CREATE FUNCTION agent_number(year integer, block integer, number integer) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  digits text := lpad(year::text, 4, '0') || lpad(block::text, 4, '0') || lpad(number::text, 4, '0');
  product integer := 36;
BEGIN
  IF length(digits) <> 12 THEN
    RAISE EXCEPTION 'agent numbers of the year % are used up', year USING ERRCODE = 'program_limit_exceeded';
  END IF;
  FOR i IN 1..12 LOOP
    product := (product + substr(digits, i, 1)::integer) % 36;
    IF product = 0 THEN product := 36; END IF;
    product := (product * 2) % 37;
  END LOOP;
  RETURN format('REG-%s-%s-%s-%s', substr(digits, 1, 4), substr(digits, 5, 4), substr(digits, 9, 4),
    substr('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ', (37 - product) % 36 + 1, 1));
END $$;
--> statement-breakpoint
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
GRANT SELECT, INSERT, UPDATE ON operators, sessions, platforms, agents, agent_stats, number_slots, api_keys,
  agent_daily, trust_scores, incidents, webhook_deliveries, webhook_attempts, job_runs TO registry_worker;
--> statement-breakpoint
GRANT SELECT, INSERT ON activity_events, webhook_events TO registry_worker;
