-- Opens the log to append to it: one sequencer at a time.
--
-- p_head: the size of the newest head that was signed, null when nobody knows
-- Returns: the size of the tree; or why nothing may be appended: busy (another sequencer is at it), paused: and why, or
-- behind (leaves that were signed are missing: this database was set back)
-- Locks: the row of tlog_state until the end of the transaction; skipped when another has it
CREATE OR REPLACE FUNCTION tlog_open(p_head bigint, OUT size bigint, OUT refusal text) LANGUAGE plpgsql AS $$
DECLARE state record;
BEGIN
  SELECT s.size, s.paused INTO state FROM tlog_state s FOR UPDATE SKIP LOCKED;
  size := state.size;
  refusal := CASE WHEN state.size IS NULL THEN 'busy' WHEN state.paused IS NOT NULL THEN 'paused: ' || state.paused
    WHEN state.size < p_head THEN 'behind' END;
END $$;
