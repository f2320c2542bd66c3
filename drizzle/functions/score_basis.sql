-- What the score of an agent is computed from on a day, at most the day of its deactivation: rows and open outages, or,
-- if a snapshot of this day includes every event, the score that it computed from the same rows with the same
-- algorithm. And since when the agent has that score.
--
-- p_agent: agent id; p_deactivated_at: null if it is active; p_today: the current UTC day; p_algorithm: the version of
-- the algorithm; null if neither score nor rows are needed; p_days: the days whose rows count
-- Returns: one object (today, score, rows, open_outages, stored, changed_at, open_critical), in which score or rows is null. score: with
-- the standing that follows from the same rows. open_critical: whether a critical incident is open. stored: the overall
-- score of the newest snapshot, and since when it has been the same (overall, since); null if there is none.
-- changed_at: the time of the last event, or the start of the day if that is later. Locks: none.
CREATE OR REPLACE FUNCTION score_basis(
  p_agent uuid, p_deactivated_at timestamptz, p_today date, p_algorithm text, p_days integer
) RETURNS json LANGUAGE plpgsql STABLE AS $$
DECLARE
  last_day date := least((p_deactivated_at AT TIME ZONE 'utc')::date, p_today);
  score json;
  stored json;
  changed_at text;
  open_critical boolean;
BEGIN
  SELECT CASE WHEN s.unscored_since IS NULL AND s.scored_day = last_day AND newest.day <= last_day
      AND newest.overall = s.trust_score_overall AND newest.algorithm_version = p_algorithm
      AND s.record_standing IS NOT NULL
    THEN json_build_object('overall', newest.overall, 'reliability', newest.reliability,
      'accuracy', newest.accuracy, 'safety', newest.safety, 'speed', newest.speed,
      'consistency', newest.consistency, 'events_considered', newest.events_considered,
      'standing', s.record_standing) END,
    CASE WHEN s.trust_score_updated IS NOT NULL AND s.scored_day <= last_day
    THEN json_build_object('overall', s.trust_score_overall, 'since', wire_time(s.trust_score_updated)) END,
    wire_time(greatest(s.last_active_at, last_day::timestamp AT TIME ZONE 'utc')),
    s.open_incident_count > 0 AND EXISTS (
      SELECT FROM incidents i WHERE i.agent_id = p_agent AND i.status = 'open' AND i.severity = 'critical')
  INTO score, stored, changed_at, open_critical
  FROM agent_stats s LEFT JOIN LATERAL (
    SELECT * FROM trust_scores h WHERE h.agent_id = p_agent ORDER BY h.day DESC LIMIT 1
  ) newest ON true
  WHERE s.agent_id = p_agent;
  RETURN json_build_object('today', last_day, 'score', score, 'stored', stored, 'changed_at', changed_at,
    'open_critical', open_critical,
    'rows', CASE WHEN score IS NULL AND p_algorithm IS NOT NULL THEN rollup_rows(p_agent, last_day - p_days, last_day) END,
    'open_outages', CASE WHEN score IS NULL AND p_algorithm IS NOT NULL THEN open_outages(p_agent, last_day) ELSE 0 END);
END $$;
