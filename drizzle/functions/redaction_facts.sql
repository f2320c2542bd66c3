-- The leaf of a redaction, which names what it hides: the event by its seq, and the incident that the event opened.
CREATE OR REPLACE FUNCTION redaction_facts(p_redaction redactions) RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (
    SELECT '{"v":1,"kind":"redaction","reg":"' || a.reg || '","seq":' || e.seq || ',"incident":'
      || coalesce('"' || (SELECT i.id FROM incidents i WHERE i.agent_id = e.agent_id AND i.created_at = e.created_at
        AND i.event_id = e.id) || '"', 'null')
      || ',"reason":"' || p_redaction.reason || '","at":"' || wire_time(p_redaction.redacted_at) || '"}'
    FROM activity_events e JOIN agents a ON a.id = e.agent_id
    WHERE e.agent_id = p_redaction.agent_id AND e.id = p_redaction.event_id
  );
END $$;
