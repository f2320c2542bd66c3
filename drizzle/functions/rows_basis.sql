-- What the score of an agent is computed from where no snapshot keeps it. An expression without a table is prepared only if
-- it is reached, and takes little.
--
-- p_stats: the row of the agent; p_last_day: the last day that counts; p_days: the days whose rows count; null if neither
-- rows nor outages are needed
-- Returns: one object (today, score, stored, changed_at, open_critical, rows, open_outages), in which score is null. stored:
-- the overall score of the newest snapshot, and since when it has been the same (overall, since); null if there is none.
-- changed_at: the time of the last event, or the start of the day if that is later. Locks: none.
CREATE OR REPLACE FUNCTION rows_basis(p_stats agent_stats, p_last_day date, p_days integer)
RETURNS json LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN json_build_object('today', p_last_day, 'score', NULL,
    'stored', CASE WHEN p_stats.trust_score_updated IS NOT NULL AND p_stats.scored_day <= p_last_day
      THEN json_build_object('overall', p_stats.trust_score_overall, 'since', wire_time(p_stats.trust_score_updated)) END,
    'changed_at', wire_time(greatest(p_stats.last_active_at, p_last_day::timestamp AT TIME ZONE 'utc')),
    'open_critical', p_stats.open_incident_count > 0 AND has_open_critical(p_stats.agent_id),
    'rows', CASE WHEN p_days IS NOT NULL THEN rollup_rows(p_stats.agent_id, p_last_day - p_days, p_last_day) END,
    'open_outages', CASE WHEN p_days IS NOT NULL THEN open_outages(p_stats, p_last_day) ELSE 0 END);
END $$;
