-- The text that the leaf of a revision of an agent commits to: its public facts, by the names of the API.
CREATE OR REPLACE FUNCTION agent_facts(p_agent agents) RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (
    SELECT '{"reg":"' || p_agent.reg || '","name":' || to_json(p_agent.name) || ',"description":' || to_json(p_agent.description)
      || ',"class":"' || p_agent.class || '","status":"' || p_agent.status || '","ownership_status":"'
      || p_agent.ownership_status || '","ownership_verified_at":'
      || coalesce(to_json(wire_time(p_agent.ownership_verified_at))::text, 'null')
      || ',"domain":' || coalesce(to_json(p_agent.domain)::text, 'null')
      || ',"homepage_url":' || coalesce(to_json(public_link(p_agent.homepage_url, p_agent.domain))::text, 'null')
      || ',"card_url":' || coalesce(to_json(public_link(p_agent.card_url, p_agent.domain))::text, 'null')
      || ',"specializations":' || to_json(p_agent.specializations)
      || ',"platform_slug":' || coalesce((SELECT to_json(p.slug)::text FROM platforms p WHERE p.id = p_agent.platform_id), 'null')
      || ',"platform_state":' || coalesce(to_json(p_agent.platform_state)::text, 'null')
      || ',"platform_since":' || coalesce(to_json(wire_time(p_agent.platform_since))::text, 'null')
      || ',"registered_at":"' || wire_time(p_agent.registered_at) || '"}'
  );
END $$;
