-- What the leaf of an event commits to, as it is handed out. Never changed: stored leaves rest on it, and a new form is a
-- new function and version.
--
-- p_event: the row of the log; p_metadata: the commitment to its metadata
-- Returns: one JSON object without white space. Locks: none.
CREATE OR REPLACE FUNCTION tlog_event_facts_v1(p_event activity_events, p_metadata text) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT '{"id":"' || p_event.id || '","event_type":' || to_json(p_event.event_type) || ',"severity":"' || p_event.severity
    || '","reported_by":"' || p_event.reported_by || '","source":"' || p_event.source || '","created_at":"'
    || wire_time(p_event.created_at) || '","metadata":"' || p_metadata || '"}'
$$;
