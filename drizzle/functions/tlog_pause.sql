-- Pauses the log until someone has checked it: nothing is appended or signed.
--
-- p_why: restore, fork or witness
-- Returns: whether it was running. Locks: the row of tlog_state.
CREATE OR REPLACE FUNCTION tlog_pause(p_why text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE tlog_state SET paused = p_why WHERE paused IS NULL;
  RETURN FOUND;
END $$;
