-- Queues each revision of an agent's public facts, with the rights of the owner.
CREATE OR REPLACE FUNCTION tlog_agent_changed() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  facts text := agent_facts(NEW);
  texts text := agent_texts(NEW);
BEGIN
  IF TG_OP = 'UPDATE' THEN
    IF (facts, texts) = (agent_facts(OLD), agent_texts(OLD)) THEN RETURN NEW; END IF;
  END IF;
  NEW.revision := NEW.revision + 1;
  INSERT INTO tlog_outbox (kind, subject, rev, agent_id, facts, texts)
  VALUES ('agent', NEW.id, NEW.revision, NEW.id, facts, texts);
  RETURN NEW;
END $$;
