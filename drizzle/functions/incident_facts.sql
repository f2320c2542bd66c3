-- The facts that the leaf of an incident commits to, by the names of the API, without its texts.
CREATE OR REPLACE FUNCTION incident_facts(p_incident incidents) RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (
    SELECT '{"incident_id":"' || p_incident.id || '","reg":"' || a.reg || '","severity":"' || p_incident.severity
      || '","status":"' || p_incident.status || '","reported_by":"' || p_incident.reported_by
      || '","source":"' || p_incident.source || '","platform":' || coalesce(to_json(p_incident.platform)::text, 'null')
      || ',"created_at":"' || wire_time(p_incident.created_at)
      || '","resolved_at":' || coalesce(to_json(wire_time(p_incident.resolved_at))::text, 'null') || '}'
    FROM agents a WHERE a.id = p_incident.agent_id
  );
END $$;
