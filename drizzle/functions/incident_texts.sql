-- The texts that the facts of an incident commit to: what may be withheld or redacted.
CREATE OR REPLACE FUNCTION incident_texts(p_incident incidents) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT '{"title":' || to_json(p_incident.title) || ',"description":' || to_json(p_incident.description)
    || ',"resolution":' || coalesce(to_json(p_incident.resolution)::text, 'null') || '}'
$$;
