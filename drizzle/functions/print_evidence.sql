-- Prints a rollup row in the form that scores read: days since 1970, the initial of the source, the counters; those of
-- faults only if one is not 0. A trigger costs a report a fiftieth; a generated column would cost a tenth, because Postgres
-- reads its expression again for each statement.
CREATE OR REPLACE FUNCTION print_evidence() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.printed := (NEW.day - '1970-01-01'::date)::text
    || left(NEW.source::text, 1)
    || NEW.events::text || ',' || NEW.completed::text || ',' || NEW.failed::text
    || ',' || NEW.graded_count::text || ',' || NEW.graded_milli::text || ',' || NEW.latency_count::text
    || ',' || NEW.latency_satisfied::text || ',' || NEW.latency_tolerating::text
    || CASE WHEN NEW.incidents_info + NEW.incidents_warning + NEW.incidents_error + NEW.incidents_critical
      + NEW.down_seconds = 0 THEN ' '
      ELSE ',' || NEW.incidents_info::text || ',' || NEW.incidents_warning::text || ',' || NEW.incidents_error::text
        || ',' || NEW.incidents_critical::text || ',' || NEW.down_seconds::text || ' ' END;
  RETURN NEW;
END $$;
