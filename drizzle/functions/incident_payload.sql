-- The data of the webhook event incident.resolved.
--
-- p_incident: id of the incident
-- Returns: the incident as it is now, by the names of the API; null if there is none. Locks: none.
CREATE OR REPLACE FUNCTION incident_payload(p_incident uuid) RETURNS jsonb LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (
    SELECT jsonb_build_object('incident_id', i.id, 'reg', a.reg, 'title', i.title, 'severity', i.severity,
      'status', i.status, 'reported_by', i.reported_by, 'source', i.source, 'platform', i.platform, 'description', i.description, 'resolution', i.resolution,
      'resolved_at', wire_time(i.resolved_at)) || CASE WHEN r.event_id IS NULL THEN '{}'
        ELSE jsonb_build_object('redacted', jsonb_build_object('at', wire_time(r.redacted_at), 'reason', r.reason)) END
    FROM incidents i JOIN agents a ON a.id = i.agent_id LEFT JOIN redactions r ON r.event_id = i.event_id
    WHERE i.id = p_incident
  );
END $$;
