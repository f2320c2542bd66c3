-- The facts that the leaf of an event commits to, as they are published. This function must never change, because
-- stored leaves depend on it: another form needs a new function and version.
--
-- p_event: the stored event; p_metadata: the commitment to its metadata
-- Returns: one JSON object without whitespace. Locks: none.
CREATE OR REPLACE FUNCTION tlog_event_facts_v1(p_event activity_events, p_metadata text) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT '{"id":"' || p_event.id || '","event_type":' || to_json(p_event.event_type) || ',"severity":"' || p_event.severity
    || '","reported_by":"' || p_event.reported_by || '","source":"' || p_event.source || '","platform":'
    || coalesce(to_json(p_event.platform)::text, 'null') || ',"created_at":"' || wire_time(p_event.created_at) || '","metadata":"' || p_metadata || '"}'
$$;
