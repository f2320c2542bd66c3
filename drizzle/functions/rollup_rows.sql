-- The rollup rows of an agent after one UTC day up to another, oldest first, of a day self before peer before independent,
-- as Postgres prints rows: six times as fast as JSON. The order of fields is that of the canonical form.
--
-- p_agent: its id; p_after: the day before the first; p_until: the last day
-- Returns: "(2026-11-21,self,20,…),(…)"; null without rows. Locks: none.
CREATE OR REPLACE FUNCTION rollup_rows(p_agent uuid, p_after date, p_until date) RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (
    SELECT string_agg(row(d.day, d.source, d.events, d.completed, d.failed, d.graded_count, d.graded_milli,
      d.latency_count, d.latency_satisfied, d.latency_tolerating, d.incidents_info, d.incidents_warning,
      d.incidents_error, d.incidents_critical, d.down_seconds)::text, ',' ORDER BY d.day, d.source)
    FROM agent_evidence d WHERE d.agent_id = p_agent AND d.day > p_after AND d.day <= p_until
  );
END $$;
