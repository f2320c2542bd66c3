-- Copies the suspension of an operator, or its end, to the rows of its agents in agent_stats.
-- Locks: these rows, in order of id.
CREATE OR REPLACE FUNCTION operator_suspended() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE agent_stats s SET suspended = NEW.status = 'suspended'
  FROM (
    SELECT agent_id FROM agent_stats WHERE agent_id IN (SELECT a.id FROM agents a WHERE a.operator_id = NEW.id)
    ORDER BY agent_id FOR NO KEY UPDATE
  ) locked WHERE s.agent_id = locked.agent_id;
  RETURN NULL;
END $$;
