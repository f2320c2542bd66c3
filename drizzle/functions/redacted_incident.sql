-- An incident without the texts that it got from its event, and without a resolution that may repeat them.
CREATE OR REPLACE FUNCTION redacted_incident(p_incident incidents) RETURNS incidents LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  p_incident.title := 'Untitled, severity ' || p_incident.severity;
  p_incident.description := '';
  p_incident.resolution := CASE WHEN p_incident.resolution IS NOT NULL THEN '' END;
  p_incident.redacted := true;
  RETURN p_incident;
END $$;
