-- The basis of the score of an agent for the reads of one agent: that of kept_basis or, if there is none, of score_basis.
-- The planner inlines it, so that a kept score takes no further look-up.
--
-- p_stats: the row of the agent; p_deactivated_at: null if it is active; p_today, p_algorithm, p_days: see score_basis
-- Returns: see score_basis. Locks: none.
CREATE OR REPLACE FUNCTION current_basis(
  p_stats agent_stats, p_deactivated_at timestamptz, p_today date, p_algorithm text, p_days integer
) RETURNS json LANGUAGE sql STABLE AS $$
  SELECT coalesce(CASE WHEN p_deactivated_at IS NULL THEN kept_basis(p_stats, p_today, p_algorithm) END,
    score_basis(p_stats.agent_id, p_deactivated_at, p_today, p_algorithm, p_days))
$$;
