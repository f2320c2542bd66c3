-- Queues the redaction of an event, with the rights of the owner.
CREATE OR REPLACE FUNCTION tlog_event_redacted() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO tlog_outbox (kind, subject, rev, agent_id, facts)
  VALUES ('redaction', NEW.event_id, 1, NEW.agent_id, redaction_facts(NEW));
  RETURN NULL;
END $$;
