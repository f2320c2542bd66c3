-- The text that the leaf of an incident commits to, by the names of the API.
CREATE OR REPLACE FUNCTION incident_facts(p_incident incidents) RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (
    SELECT '{"incident_id":"' || p_incident.id || '","reg":"' || a.reg || '","title":' || to_json(p_incident.title)
      || ',"severity":"' || p_incident.severity || '","status":"' || p_incident.status || '","description":'
      || to_json(p_incident.description) || ',"created_at":"' || wire_time(p_incident.created_at) || '","resolution":'
      || coalesce(to_json(p_incident.resolution)::text, 'null') || ',"resolved_at":'
      || coalesce(to_json(wire_time(p_incident.resolved_at))::text, 'null') || '}'
    FROM agents a WHERE a.id = p_incident.agent_id
  );
END $$;
