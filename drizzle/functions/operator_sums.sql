-- The sums over all agents of an operator, deactivated ones too, and how many of its own keys are live.
--
-- p_operator: its id; p_at: the time of the request
-- Returns: one object (agent_count, active_agent_count, tasks_completed, tasks_failed, incident_count,
-- open_incident_count, average_trust_score or null, active_api_keys). Locks: none.
CREATE OR REPLACE FUNCTION operator_sums(p_operator uuid, p_at timestamptz) RETURNS json LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (
    SELECT json_build_object('agent_count', count(*),
      'active_agent_count', count(*) FILTER (WHERE a.status = 'active'),
      'tasks_completed', coalesce(sum(s.tasks_completed), 0), 'tasks_failed', coalesce(sum(s.tasks_failed), 0),
      'incident_count', coalesce(sum(s.incident_count), 0),
      'open_incident_count', coalesce(sum(s.open_incident_count), 0),
      'average_trust_score', round(avg(s.trust_score_overall) FILTER (WHERE a.status = 'active'), 1),
      'active_api_keys', (
        SELECT count(*) FROM api_keys k WHERE k.operator_id = p_operator AND k.platform_id IS NULL
          AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > p_at)))
    FROM agents a JOIN agent_stats s ON s.agent_id = a.id
    WHERE a.operator_id = p_operator
  );
END $$;
