-- Queues an incident when it is created and when it is resolved, with the rights of the owner.
CREATE OR REPLACE FUNCTION tlog_incident_changed() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO tlog_outbox (kind, subject, rev, agent_id, facts, texts)
  VALUES ('incident', NEW.id, 1 + (NEW.status = 'resolved')::integer, NEW.agent_id,
    incident_facts(NEW), incident_texts(NEW));
  RETURN NULL;
END $$;
