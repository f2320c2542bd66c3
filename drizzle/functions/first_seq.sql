-- The first event of an agent's log at or after a time, found by halves: created_at never falls along seq, so the log
-- needs no index over it.
--
-- p_agent: its id; p_events: how many events it has; p_from: the time
-- Returns: its seq; p_events + 1 when all are older. Locks: none.
CREATE OR REPLACE FUNCTION first_seq(p_agent uuid, p_events bigint, p_from timestamptz) RETURNS bigint
LANGUAGE plpgsql STABLE AS $$
DECLARE
  low bigint := 1;
  high bigint := p_events + 1;
  middle bigint;
BEGIN
  WHILE low < high LOOP
    middle := (low + high) / 2;
    IF (SELECT e.created_at >= p_from FROM activity_events e WHERE e.agent_id = p_agent AND e.seq = middle) THEN
      high := middle;
    ELSE
      low := middle + 1;
    END IF;
  END LOOP;
  RETURN low;
END $$;
