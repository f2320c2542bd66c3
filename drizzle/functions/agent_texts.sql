-- The texts that the facts of a revision of an agent commit to: what may be withheld (see public_agent).
CREATE OR REPLACE FUNCTION agent_texts(p_agent agents) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT '{"name":' || to_json(p_agent.name) || ',"description":' || to_json(p_agent.description)
    || ',"homepage_url":' || coalesce(to_json(public_link(p_agent.homepage_url, p_agent.domain))::text, 'null')
    || ',"card_url":' || coalesce(to_json(public_link(p_agent.card_url, p_agent.domain))::text, 'null')
    || ',"specializations":' || to_json(p_agent.specializations) || '}'
$$;
