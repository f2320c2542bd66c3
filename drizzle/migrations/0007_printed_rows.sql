-- Rollup rows hold themselves as the text that a score is read from, printed when they are written.
-- Locks: the ALTER takes ACCESS EXCLUSIVE for a moment (its default is a constant, so that no row is written), the
-- trigger SHARE ROW EXCLUSIVE. The append_events of before has no place for the column, and fails until db:migrate has
-- replaced it: made before the first deployment, as 0005.
ALTER TABLE "agent_evidence" ADD COLUMN "printed" text DEFAULT '' NOT NULL;
--> statement-breakpoint
-- By a trigger, which costs a report a fiftieth: a generated column costs a tenth, as Postgres reads its expression anew
-- for each statement. Days since 1970, the initial of the source, the counters; those of faults where one is not 0.
CREATE FUNCTION print_evidence() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.printed := (NEW.day - '1970-01-01'::date)::text
    || CASE NEW.source WHEN 'self' THEN 's' WHEN 'peer' THEN 'p' ELSE 'i' END
    || NEW.events::text || ',' || NEW.completed::text || ',' || NEW.failed::text
    || ',' || NEW.graded_count::text || ',' || NEW.graded_milli::text || ',' || NEW.latency_count::text
    || ',' || NEW.latency_satisfied::text || ',' || NEW.latency_tolerating::text
    || CASE WHEN NEW.incidents_info + NEW.incidents_warning + NEW.incidents_error + NEW.incidents_critical
      + NEW.down_seconds = 0 THEN ' '
      ELSE ',' || NEW.incidents_info::text || ',' || NEW.incidents_warning::text || ',' || NEW.incidents_error::text
        || ',' || NEW.incidents_critical::text || ',' || NEW.down_seconds::text || ' ' END;
  RETURN NEW;
END $$;
--> statement-breakpoint
CREATE TRIGGER agent_evidence_printed BEFORE INSERT OR UPDATE ON agent_evidence
FOR EACH ROW EXECUTE FUNCTION print_evidence();
--> statement-breakpoint
-- ALWAYS: also with session_replication_role = replica.
ALTER TABLE agent_evidence ENABLE ALWAYS TRIGGER agent_evidence_printed;
--> statement-breakpoint
-- in pages
UPDATE "agent_evidence" SET "printed" = '' WHERE ("agent_id", "day", "source") IN (
	SELECT "agent_id", "day", "source" FROM "agent_evidence" WHERE "printed" = '' LIMIT 1000);
