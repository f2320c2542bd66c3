-- Queues a leaf with a new state of an operator or platform. The caller has locked its row, so that numbers have no gap.
--
-- p_kind: operator or platform; p_subject: id of the operator, or slug of the platform; p_operator: of the platform, null
-- for an operator; p_state: see tlog_operator_changed and tlog_platform_changed; p_at: since when; p_by: ids of the
-- operators that established the platform, else null
-- Locks: none.
CREATE OR REPLACE FUNCTION tlog_queue_state(
  p_kind text, p_subject text, p_operator uuid, p_state text, p_at timestamptz, p_by uuid[]
) RETURNS void LANGUAGE sql AS $$
  INSERT INTO tlog_outbox (kind, subject, rev, facts)
  SELECT p_kind, p_subject, n.rev, '{"v":1,"kind":"' || p_kind || '","' || p_kind || '":"' || p_subject || '","rev":'
    || n.rev || CASE WHEN p_kind = 'platform' THEN ',"operator":"' || p_operator || '"' ELSE '' END
    || ',"state":"' || p_state || '","at":"' || wire_time(p_at) || '"'
    || CASE WHEN p_kind = 'platform' THEN ',"by":' || replace(to_json(coalesce(p_by, '{}'))::text, ' ', '') ELSE '' END || '}'
  FROM (
    SELECT 1 + coalesce(max(known.rev), 0) AS rev FROM (
      SELECT f.rev FROM tlog_facts f WHERE f.kind = p_kind AND f.subject = p_subject
      UNION ALL SELECT o.rev FROM tlog_outbox o WHERE o.kind = p_kind AND o.subject = p_subject
    ) known
  ) n
$$;
