-- The first event in the log of an agent at or after a time, found by binary search: created_at never decreases along
-- seq, so it needs no index.
--
-- p_agent: agent id; p_events: its number of events; p_from: the time
-- Returns: seq of the event; p_events + 1 if all are older. Locks: none.
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
