-- Applies the steps of one batch to the state of a side of an agent; lifecycleStep is the same in TypeScript.
--
-- p_state: up, down, or failed; p_since: since when; p_at: created_at of the batch; p_batch: {has_up, has_shutdown,
-- end_state} as lifecycleOf returns it; p_most: the longest downtime that counts, in seconds
-- Returns: one row: moved, whether the state is now end_state, since p_at; down_seconds for the rollup row of the day of
-- p_at, in whole seconds, only if the state was failed. Locks: none.
CREATE OR REPLACE FUNCTION lifecycle_step(p_state text, p_since timestamptz, p_at timestamptz, p_batch jsonb, p_most bigint)
RETURNS TABLE (moved boolean, down_seconds bigint) LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 1 AS $$
  SELECT m.moved, CASE WHEN m.moved AND p_state = 'failed' THEN i.seconds ELSE 0 END
  FROM (SELECT (p_batch ->> CASE p_state WHEN 'up' THEN 'has_shutdown' ELSE 'has_up' END)::boolean AS moved) m,
    (SELECT least(p_most, greatest(0, floor(extract(epoch FROM p_at - p_since))))::bigint AS seconds) i
$$;
