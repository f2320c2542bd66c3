-- The rollup rows of an agent after one UTC day up to another, oldest first, of a day self before peer before independent.
--
-- p_agent: its id; p_after: the day before the first; p_until: the last day
-- Returns: the column `printed` of each, one behind the other, as readRows takes it; null without rows. Locks: none.
CREATE OR REPLACE FUNCTION rollup_rows(p_agent uuid, p_after date, p_until date) RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (
    SELECT string_agg(d.printed, '' ORDER BY d.day, d.source)
    FROM agent_evidence d WHERE d.agent_id = p_agent AND d.day > p_after AND d.day <= p_until
  );
END $$;
