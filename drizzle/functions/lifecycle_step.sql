-- What the lifecycle events of one batch do to an agent's stored state; its twin in TypeScript is lifecycleStep.
--
-- p_state: up, down, failed, or null for an agent never seen; p_since: since when; p_at: the batch's created_at;
-- p_lifecycle: (has_startup, has_shutdown, end_state) as lifecycleOf gives it, null without a startup or shutdown
-- Returns: one row; moved (whether the state is now end_state, since p_at), and down_seconds for the rollup row of the day of
-- p_at: whole seconds, at most 90 days, of a failed agent alone. Locks: none.
CREATE OR REPLACE FUNCTION lifecycle_step(p_state text, p_since timestamptz, p_at timestamptz, p_lifecycle jsonb)
RETURNS TABLE (moved boolean, down_seconds bigint) LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 1 AS $$
  SELECT m.moved, CASE WHEN m.moved AND p_state = 'failed' THEN i.seconds ELSE 0 END
  FROM (SELECT p_lifecycle IS NOT NULL AND CASE p_state WHEN 'up' THEN (p_lifecycle ->> 'has_shutdown')::boolean
      WHEN 'down' THEN (p_lifecycle ->> 'has_startup')::boolean
      WHEN 'failed' THEN (p_lifecycle ->> 'has_startup')::boolean ELSE true END AS moved) m,
    (SELECT least(7776000, greatest(0, floor(extract(epoch FROM p_at - p_since))))::bigint AS seconds) i
$$;
