-- The agent of a log page, and the indexes of its newest events in the transparency log.
--
-- p_reg: agent number; p_events: how many of its newest events
-- Returns: {name, operator_status, withheld, leaves}; name as others see it (see public_agent); leaves maps event ids to
-- leaf indexes, for events below the newest signed head, and is null if there are none. Null if there is no such agent.
-- Locks: none.
CREATE OR REPLACE FUNCTION agent_leaves(p_reg text, p_events integer) RETURNS json
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  RETURN (
    SELECT json_build_object('name', t.name, 'operator_status', o.status,
      'withheld', t.withheld, 'leaves', (
      SELECT json_object_agg(e.id, r.first_index + e.seq - r.first_seq)
      FROM activity_events e
      CROSS JOIN LATERAL (
        SELECT * FROM tlog_ranges x WHERE x.agent_id = e.agent_id AND x.first_seq <= e.seq
        ORDER BY x.first_seq DESC LIMIT 1
      ) r
      WHERE e.agent_id = a.id AND e.seq > s.events - p_events AND e.seq < r.first_seq + r.leaves
        AND r.first_index + e.seq - r.first_seq < (SELECT max(h.size) FROM tlog_heads h)
    ))
    FROM agents a JOIN agent_stats s ON s.agent_id = a.id JOIN operators o ON o.id = a.operator_id
    CROSS JOIN LATERAL public_agent(a, o) t WHERE a.reg = p_reg
  );
END $$;
