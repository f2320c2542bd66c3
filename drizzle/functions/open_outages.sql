-- How many sides of an agent have an outage on a UTC day that began before it and has not ended by its end.
--
-- p_stats: the row of the agent; p_day: a day, today or past
-- Returns: 0 to 2. Locks: none. Without a startup or shutdown, there is no outage, and the table is not read.
CREATE OR REPLACE FUNCTION open_outages(p_stats agent_stats, p_day date) RETURNS integer LANGUAGE plpgsql STABLE AS $$
DECLARE begins timestamptz := p_day::timestamp AT TIME ZONE 'utc';
BEGIN
  IF p_stats.own_state IS NULL AND p_stats.others_state IS NULL THEN RETURN 0; END IF;
  RETURN (p_stats.own_state IS NOT DISTINCT FROM 'failed' AND p_stats.own_since < begins)::integer
    + (p_stats.others_state IS NOT DISTINCT FROM 'failed' AND p_stats.others_since < begins)::integer
    + (SELECT count(*) FROM agent_outages o
      WHERE o.agent_id = p_stats.agent_id AND o.began_on < p_day AND o.ended_on > p_day);
END $$;
