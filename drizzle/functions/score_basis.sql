-- What the score of an agent is computed from on a day, at most the day of its deactivation: the score of the last snapshot
-- of this day, if it includes every event and was computed with the same algorithm, or rows and open outages. The planner
-- inlines it, so that a kept score takes no call.
--
-- p_stats: the row of the agent; p_deactivated_at: null if it is active; p_today: the current UTC day; p_algorithm: the
-- version of the algorithm; p_days: the days whose rows count; both null if neither score nor rows are needed
-- Returns: one object: (today, score, since, open_critical), or what rows_basis returns. score: with the standing that
-- follows from the same rows; since: when the overall score came to be. Locks: none.
CREATE OR REPLACE FUNCTION score_basis(
  p_stats agent_stats, p_deactivated_at timestamptz, p_today date, p_algorithm text, p_days integer
) RETURNS json LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN p_stats.unscored_since IS NULL AND p_stats.kept_algorithm = p_algorithm
    AND p_stats.scored_day = least((p_deactivated_at AT TIME ZONE 'utc')::date, p_today)
  THEN json_build_object('today', p_stats.scored_day, 'score', p_stats.kept_score,
    'since', wire_time(p_stats.trust_score_updated),
    'open_critical', p_stats.open_incident_count > 0 AND has_open_critical(p_stats.agent_id))
  ELSE rows_basis(p_stats, least((p_deactivated_at AT TIME ZONE 'utc')::date, p_today), p_days) END
$$;
