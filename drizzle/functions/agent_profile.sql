-- The data of the profile and the full verification of an agent, as others see them.
--
-- p_reg: agent number; p_today, p_algorithm, p_days: see score_basis
-- Returns: one object with columns and counters of the agent, columns of its operator and platform, `withheld` (see
-- public_agent), and `basis` (see score_basis); null if there is no such agent. Locks: none.
CREATE OR REPLACE FUNCTION agent_profile(p_reg text, p_today date, p_algorithm text, p_days integer)
RETURNS json LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (
    SELECT json_build_object('reg', a.reg, 'name', t.name, 'description', t.description, 'class', a.class,
      'name_changed_at', wire_time(a.name_changed_at), 'status', a.status, 'ownership_status', a.ownership_status,
      'ownership_verified_at', wire_time(a.ownership_verified_at), 'domain', a.domain,
      'homepage_url', t.homepage_url, 'card_url', t.card_url, 'specializations', t.specializations,
      'registered_at', wire_time(a.registered_at), 'tasks_completed', s.tasks_completed,
      'tasks_failed', s.tasks_failed, 'incident_count', s.incident_count,
      'open_incident_count', s.open_incident_count, 'last_active_at', wire_time(s.last_active_at),
      'response_count', s.response_count, 'response_ms', s.response_ms, 'operator_id', o.id, 'operator_name', t.operator_name,
      'operator_name_verified', t.operator_name_verified, 'operator_status', o.status,
      'operator_kyc_status', o.kyc_status, 'platform_name', public_platform_name(p, k), 'platform_slug', p.slug,
      'platform_state', CASE p.status WHEN 'retired' THEN 'retired' ELSE a.platform_state END,
      'platform_since', wire_time(a.platform_since), 'platform_leaves_at', wire_time(a.platform_leaves_at),
      'withheld', CASE WHEN texts_withheld(k.status, p.texts_withheld_at)
        THEN t.withheld || '{platform_name}'::text[] ELSE t.withheld END,
      'basis', coalesce(kept_basis(s, least((a.deactivated_at AT TIME ZONE 'utc')::date, p_today), p_algorithm),
        score_basis(a.id, a.deactivated_at, p_today, p_algorithm, p_days)))
    FROM agents a
    JOIN agent_stats s ON s.agent_id = a.id
    JOIN operators o ON o.id = a.operator_id
    CROSS JOIN LATERAL public_agent(a, o) t
    LEFT JOIN platforms p ON p.id = a.platform_id
    LEFT JOIN operators k ON k.id = p.operator_id
    WHERE a.reg = p_reg
  );
END $$;
