-- What the score of an agent is computed from on a day, at most the day of its deactivation: the score of the last snapshot
-- of this day, if it includes every event and was computed with the same algorithm, or rows and open outages. An expression
-- without a table is prepared only if it is reached, and takes little.
--
-- p_stats: the row of the agent; p_deactivated_at: null if it is active; p_today: the current UTC day; p_algorithm: the
-- version of the algorithm; null if neither score nor rows are needed; p_days: the days whose rows count
-- Returns: one object: (today, score, since, open_critical), or (today, score, rows, open_outages, stored, changed_at,
-- open_critical), in which score is null. score: with the standing that follows from the same rows; since: when the
-- overall score came to be. stored: the overall score of the newest snapshot, and since when it has been the same
-- (overall, since); null if there is none. changed_at: the time of the last event, or the start of the day if that is
-- later. Locks: none.
CREATE OR REPLACE FUNCTION score_basis(
  p_stats agent_stats, p_deactivated_at timestamptz, p_today date, p_algorithm text, p_days integer
) RETURNS json LANGUAGE plpgsql STABLE AS $$
DECLARE
  last_day date := least((p_deactivated_at AT TIME ZONE 'utc')::date, p_today);
BEGIN
  IF p_stats.unscored_since IS NULL AND p_stats.scored_day = last_day AND p_stats.kept_algorithm = p_algorithm THEN
    RETURN json_build_object('today', last_day, 'score', p_stats.kept_score, 'since', wire_time(p_stats.trust_score_updated),
      'open_critical', p_stats.open_incident_count > 0 AND has_open_critical(p_stats.agent_id));
  END IF;
  RETURN json_build_object('today', last_day, 'score', NULL,
    'stored', CASE WHEN p_stats.trust_score_updated IS NOT NULL AND p_stats.scored_day <= last_day
      THEN json_build_object('overall', p_stats.trust_score_overall, 'since', wire_time(p_stats.trust_score_updated)) END,
    'changed_at', wire_time(greatest(p_stats.last_active_at, last_day::timestamp AT TIME ZONE 'utc')),
    'open_critical', p_stats.open_incident_count > 0 AND has_open_critical(p_stats.agent_id),
    'rows', CASE WHEN p_algorithm IS NOT NULL THEN rollup_rows(p_stats.agent_id, last_day - p_days, last_day) END,
    'open_outages', CASE WHEN p_algorithm IS NOT NULL THEN open_outages(p_stats, last_day) ELSE 0 END);
END $$;
