-- The sums over all agents of an operator, including deactivated ones, and the number of its own active keys.
--
-- p_operator: operator id; p_at: the time of the request; p_days: see rows_basis
-- Returns: one object (agent_count, active_agent_count, tasks_completed, tasks_failed, incident_count,
-- open_incident_count, scores, score_sum, scored_at, unsettled, active_api_keys). scores, score_sum, and scored_at:
-- number, sum, and newest time of the stored scores of active agents that are current; unsettled: the basis of each
-- other active agent (see rows_basis). At most 500, which a Worker can score in one request; beyond them, stored scores
-- count. Locks: none.
-- The agents are found by an index-only scan, and rows of agents that were registered together are stored together.
CREATE OR REPLACE FUNCTION operator_sums(p_operator uuid, p_at timestamptz, p_days integer) RETURNS json LANGUAGE plpgsql STABLE AS $$
DECLARE
  today date := (p_at AT TIME ZONE 'utc')::date;
BEGIN
  RETURN (
    WITH mine AS MATERIALIZED (
      SELECT s.agent_id, s.deactivated, s.tasks_completed, s.tasks_failed, s.incident_count, s.open_incident_count,
        s.trust_score_overall, s.trust_score_updated, s.unscored_since, s.scored_day
      FROM agent_stats s WHERE s.agent_id = ANY (ARRAY(SELECT a.id FROM agents a WHERE a.operator_id = p_operator))
    ), unsettled AS MATERIALIZED (
      SELECT m.agent_id FROM mine m
      WHERE NOT m.deactivated AND (m.unscored_since IS NOT NULL OR m.scored_day <> today)
      ORDER BY m.agent_id LIMIT 500
    )
    SELECT json_build_object('agent_count', count(*),
      'active_agent_count', count(*) FILTER (WHERE NOT m.deactivated),
      'tasks_completed', coalesce(sum(m.tasks_completed), 0), 'tasks_failed', coalesce(sum(m.tasks_failed), 0),
      'incident_count', coalesce(sum(m.incident_count), 0),
      'open_incident_count', coalesce(sum(m.open_incident_count), 0),
      'scores', count(m.trust_score_overall) FILTER (WHERE NOT m.deactivated AND u.agent_id IS NULL),
      'score_sum', coalesce(sum(m.trust_score_overall) FILTER (WHERE NOT m.deactivated AND u.agent_id IS NULL), 0),
      'scored_at', wire_time(max(m.trust_score_updated) FILTER (
        WHERE NOT m.deactivated AND u.agent_id IS NULL AND m.trust_score_overall IS NOT NULL)),
      'unsettled', coalesce((
        SELECT json_agg(rows_basis(s, today, p_days))
        FROM unsettled e JOIN agent_stats s ON s.agent_id = e.agent_id), '[]'),
      'active_api_keys', (
        SELECT count(*) FROM api_keys k WHERE k.operator_id = p_operator AND k.platform_id IS NULL
          AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > p_at)))
    FROM mine m LEFT JOIN unsettled u ON u.agent_id = m.agent_id
  );
END $$;
