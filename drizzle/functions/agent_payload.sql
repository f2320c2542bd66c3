-- The data of the webhook event agent.registered, and of agent.updated and agent.deactivated except for `changed`.
--
-- p_agent: id of the agent; p_score: its score, an object of trust_score_overall and trust_score_updated
-- Returns: the agent as it is now, by the names of the API; null if there is none. Locks: none.
CREATE OR REPLACE FUNCTION agent_payload(p_agent uuid, p_score jsonb) RETURNS jsonb LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (
    SELECT jsonb_build_object('reg', a.reg, 'name', a.name, 'description', a.description, 'class', a.class,
      'status', a.status, 'ownership_status', a.ownership_status, 'domain', a.domain,
      'specializations', to_jsonb(a.specializations), 'tasks_completed', s.tasks_completed,
      'operator_name', o.name,
      'operator_name_verified', o.name_verified_at IS NOT NULL, 'platform_slug', p.slug,
      'platform_state', a.platform_state, 'registered_at', wire_time(a.registered_at)) || p_score
    FROM agents a JOIN agent_stats s ON s.agent_id = a.id JOIN operators o ON o.id = a.operator_id
    LEFT JOIN platforms p ON p.id = a.platform_id WHERE a.id = p_agent
  );
END $$;
