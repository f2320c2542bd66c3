-- What the score of an agent is computed from on a day, at most the day of its deactivation: the score of a snapshot (see
-- kept_basis), or rows and open outages.
--
-- p_agent: agent id; p_deactivated_at: null if it is active; p_today: the current UTC day; p_algorithm: the version of
-- the algorithm; null if neither score nor rows are needed; p_days: the days whose rows count
-- Returns: one object: that of kept_basis, or (today, score, rows, open_outages, stored, changed_at, open_critical), in
-- which score is null. stored: the overall score of the newest snapshot, and since when it has been the same (overall,
-- since); null if there is none. changed_at: the time of the last event, or the start of the day if that is later.
-- Locks: none.
CREATE OR REPLACE FUNCTION score_basis(
  p_agent uuid, p_deactivated_at timestamptz, p_today date, p_algorithm text, p_days integer
) RETURNS json LANGUAGE plpgsql STABLE AS $$
DECLARE
  last_day date := least((p_deactivated_at AT TIME ZONE 'utc')::date, p_today);
BEGIN
  RETURN (
    SELECT coalesce(kept_basis(s, last_day, p_algorithm), json_build_object('today', last_day, 'score', NULL,
      'stored', CASE WHEN s.trust_score_updated IS NOT NULL AND s.scored_day <= last_day
        THEN json_build_object('overall', s.trust_score_overall, 'since', wire_time(s.trust_score_updated)) END,
      'changed_at', wire_time(greatest(s.last_active_at, last_day::timestamp AT TIME ZONE 'utc')),
      'open_critical', s.open_incident_count > 0 AND has_open_critical(p_agent),
      'rows', CASE WHEN p_algorithm IS NOT NULL THEN rollup_rows(p_agent, last_day - p_days, last_day) END,
      'open_outages', CASE WHEN p_algorithm IS NOT NULL THEN open_outages(p_agent, last_day) ELSE 0 END))
    FROM agent_stats s WHERE s.agent_id = p_agent
  );
END $$;
