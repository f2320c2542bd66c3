-- The rollup rows of an agent in a range of UTC days, oldest first, within a day by source.
--
-- p_agent: agent id; p_after: the day before the first; p_until: the last day
-- Returns: the concatenated column `printed` of the rows, in the format of readRows; null without rows. Locks: none.
CREATE OR REPLACE FUNCTION rollup_rows(p_agent uuid, p_after date, p_until date) RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (
    SELECT string_agg(d.printed, '' ORDER BY d.day, d.source)
    FROM agent_evidence d WHERE d.agent_id = p_agent AND d.day > p_after AND d.day <= p_until
  );
END $$;
