-- Hides the texts of an incident whose event is redacted. Only the owner may execute it.
--
-- p_incident: incident id
-- Returns: the incident if this call hid it. Locks: its row; the caller has locked its agent.
CREATE OR REPLACE FUNCTION redact_incident(p_incident uuid) RETURNS SETOF incidents LANGUAGE sql AS $$
  UPDATE incidents i SET (title, description, resolution, redacted)
    = (SELECT r.title, r.description, r.resolution, r.redacted FROM redacted_incident(i) r)
  WHERE i.id = p_incident AND NOT i.redacted RETURNING *
$$;
