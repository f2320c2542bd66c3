-- Locks the log for appending: one sequencer at a time.
--
-- p_head: the size of the newest signed head, null if unknown
-- Returns: the size of the tree; or as refusal why nothing may be appended: busy (another sequencer is running),
-- paused: with the reason, or behind (signed leaves are missing, because the database was set back to an older state)
-- Locks: the row of tlog_state until the end of the transaction; skipped if another transaction has locked it
CREATE OR REPLACE FUNCTION tlog_open(p_head bigint, OUT size bigint, OUT refusal text) LANGUAGE plpgsql AS $$
DECLARE state record;
BEGIN
  SELECT s.size, s.paused INTO state FROM tlog_state s FOR UPDATE SKIP LOCKED;
  size := state.size;
  refusal := CASE WHEN state.size IS NULL THEN 'busy' WHEN state.paused IS NOT NULL THEN 'paused: ' || state.paused
    WHEN state.size < p_head THEN 'behind' END;
END $$;
