-- Applies the lifecycle events of one batch to the stored state of an agent; lifecycleStep is the same in TypeScript.
--
-- p_state: up, down, failed, or null for an agent without lifecycle events; p_since: since when; p_at: created_at of
-- the batch; p_lifecycle: {has_startup, has_shutdown, end_state} as lifecycleOf returns it, null without a startup or
-- shutdown
-- Returns: one row: moved, whether the state is now end_state, since p_at; down_seconds for the rollup row of the day
-- of
-- p_at, in whole seconds, at most 90 days, only if the state was failed. Locks: none.
CREATE OR REPLACE FUNCTION lifecycle_step(p_state text, p_since timestamptz, p_at timestamptz, p_lifecycle jsonb)
RETURNS TABLE (moved boolean, down_seconds bigint) LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 1 AS $$
  SELECT m.moved, CASE WHEN m.moved AND p_state = 'failed' THEN i.seconds ELSE 0 END
  FROM (SELECT p_lifecycle IS NOT NULL AND CASE p_state WHEN 'up' THEN (p_lifecycle ->> 'has_shutdown')::boolean
      WHEN 'down' THEN (p_lifecycle ->> 'has_startup')::boolean
      WHEN 'failed' THEN (p_lifecycle ->> 'has_startup')::boolean ELSE true END AS moved) m,
    (SELECT least(7776000, greatest(0, floor(extract(epoch FROM p_at - p_since))))::bigint AS seconds) i
$$;
