-- The facts that the leaf of a revision of an agent commits to, by the names of the API, without its texts.
CREATE OR REPLACE FUNCTION agent_facts(p_agent agents) RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (
    SELECT '{"reg":"' || p_agent.reg || '","class":"' || p_agent.class || '","status":"' || p_agent.status
      || '","ownership_status":"' || p_agent.ownership_status || '","ownership_verified_at":'
      || coalesce(to_json(wire_time(p_agent.ownership_verified_at))::text, 'null')
      || ',"domain":' || coalesce(to_json(p_agent.domain)::text, 'null')
      || ',"platform_slug":' || coalesce((SELECT to_json(p.slug)::text FROM platforms p WHERE p.id = p_agent.platform_id), 'null')
      || ',"platform_state":' || coalesce(to_json(p_agent.platform_state)::text, 'null')
      || ',"platform_since":' || coalesce(to_json(wire_time(p_agent.platform_since))::text, 'null')
      || ',"registered_at":"' || wire_time(p_agent.registered_at) || '"}'
  );
END $$;
