-- How many sides of an agent have an outage on a UTC day that began before it and has not ended by its end.
--
-- p_agent: agent id; p_day: a day, today or past
-- Returns: 0 to 2. Locks: none.
CREATE OR REPLACE FUNCTION open_outages(p_agent uuid, p_day date) RETURNS integer LANGUAGE plpgsql STABLE AS $$
DECLARE begins timestamptz := p_day::timestamp AT TIME ZONE 'utc';
BEGIN
  RETURN (SELECT count(*) FROM agent_outages o WHERE o.agent_id = p_agent AND o.began_on < p_day AND o.ended_on > p_day)
    + (SELECT (s.own_state IS NOT DISTINCT FROM 'failed' AND s.own_since < begins)::integer
      + (s.others_state IS NOT DISTINCT FROM 'failed' AND s.others_since < begins)::integer
      FROM agent_stats s WHERE s.agent_id = p_agent);
END $$;
