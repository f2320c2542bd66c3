-- Whether a critical incident of an agent is open.
--
-- p_agent: agent id. Locks: none.
CREATE OR REPLACE FUNCTION has_open_critical(p_agent uuid) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN EXISTS (
    SELECT FROM incidents i WHERE i.agent_id = p_agent AND i.status = 'open' AND i.severity = 'critical'
  );
END $$;
