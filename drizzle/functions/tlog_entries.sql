-- The leaves of an agent in the order of the log, below the newest signed head, with the openings that the reader may
-- see: the operator of the agent all; its platform those of events since the agent joined it; everyone those of the 50
-- newest events, of incidents, and of the current profile. Redacted metadata and incidents are never opened; metadata
-- and incidents of a suspended operator's agents are not opened for others.
--
-- p_reg: agent number; p_operator, p_platform: of the reader, null for the public; p_kind: null for all; p_after_seq:
-- only events after this seq; p_after_index: only other leaves after this index; p_most: maximum number of entries,
-- which is at most 100 unless the reader is the operator or the platform
-- Returns: {entries, more, seq, index}; seq and index are where the page ends. An entry is {index, leaf, opening};
-- opening is null or {salt, facts}, with metadata that is shown also {metadata_salt, metadata}. Null if there is no
-- such agent.
-- Locks: none. Reads seeds, which must not leave the database.
CREATE OR REPLACE FUNCTION tlog_entries(
  p_reg text, p_operator uuid, p_platform uuid, p_kind text, p_after_seq bigint, p_after_index bigint, p_most integer
) RETURNS json LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  public_events CONSTANT integer := 50;
  public_page CONSTANT integer := 100;
  page integer := p_most;
  head bigint := (SELECT coalesce(max(h.size), 0) FROM tlog_heads h);
  agent record;
BEGIN
  SELECT a.id, a.revision, s.events, o.status = 'suspended' AS is_suspended,
    coalesce(a.operator_id = p_operator, false) AS is_own,
    (SELECT a.platform_since FROM platforms p WHERE p.id = p_platform AND p.id = a.platform_id
      AND (a.platform_state = 'confirmed' OR p.admission = 'open')) AS since
  INTO agent
  FROM agents a JOIN agent_stats s ON s.agent_id = a.id JOIN operators o ON o.id = a.operator_id WHERE a.reg = p_reg;
  IF NOT FOUND THEN RETURN NULL; END IF;
  IF NOT coalesce(agent.is_own OR agent.since IS NOT NULL, false) THEN page := least(page, public_page); END IF;
  RETURN (
    WITH found AS MATERIALIZED (
      SELECT * FROM (
        (SELECT f.index AS i, f.kind, NULL::bigint AS seq, f.subject, f.rev, f.facts FROM tlog_facts f
        WHERE f.agent_id = agent.id AND f.index > p_after_index AND f.index < head AND f.kind = coalesce(p_kind, f.kind)
        ORDER BY f.index LIMIT page + 1)
        UNION ALL
        (SELECT r.first_index + q.seq - r.first_seq, 'event', q.seq, NULL, NULL, NULL
        FROM (SELECT * FROM tlog_ranges x WHERE x.agent_id = agent.id AND coalesce(p_kind, 'event') = 'event'
          AND x.first_seq >= coalesce((SELECT y.first_seq FROM tlog_ranges y WHERE y.agent_id = agent.id
            AND y.first_seq <= p_after_seq + 1 ORDER BY y.first_seq DESC LIMIT 1), 0)
          ORDER BY x.first_seq LIMIT page + 2) r
        CROSS JOIN LATERAL generate_series(greatest(r.first_seq, p_after_seq + 1),
          least(r.first_seq + r.leaves, r.first_seq + head - r.first_index) - 1) AS q (seq)
        ORDER BY q.seq LIMIT page + 1)
      ) u ORDER BY i LIMIT page + 1
    ), shown AS MATERIALIZED (
      SELECT f.*, (SELECT b.seed FROM tlog_batches b WHERE b.first_index <= f.i ORDER BY b.first_index DESC LIMIT 1) AS seed
      FROM found f ORDER BY f.i LIMIT page
    ), leaves AS MATERIALIZED (
      SELECT l.* FROM (SELECT DISTINCT i / 256 AS n FROM shown) b CROSS JOIN LATERAL tlog_leaves(b.n) l
    ), opened AS (
      SELECT s.i, json_build_object('salt', base64url(tlog_salt(s.seed, 'f', s.i)), 'facts', s.facts)::jsonb AS opening
      FROM shown s WHERE s.kind = 'agent' AND (agent.is_own OR s.rev = agent.revision) AND s.facts IS NOT NULL
        OR s.kind = 'incident' AND (agent.is_own OR NOT agent.is_suspended) AND s.facts IS NOT NULL
          AND NOT (SELECT n.redacted FROM incidents n WHERE n.id = s.subject::uuid)
      UNION ALL
      SELECT s.i, jsonb_build_object('salt', base64url(tlog_salt(s.seed, 'f', s.i)), 'facts',
          tlog_event_facts_v1(e, coalesce(r.metadata_commitment, tlog_commit(m.salt, e.metadata::text))))
        || CASE WHEN r.event_id IS NULL AND (agent.is_own OR e.created_at >= agent.since OR NOT agent.is_suspended)
          THEN jsonb_build_object('metadata_salt', base64url(m.salt), 'metadata', e.metadata::text) ELSE '{}' END
      FROM shown s JOIN activity_events e ON e.agent_id = agent.id AND e.seq = s.seq
      CROSS JOIN LATERAL (SELECT tlog_salt(s.seed, 'm', s.i) AS salt) m
      LEFT JOIN redactions r ON r.event_id = e.id
      WHERE agent.is_own OR e.created_at >= agent.since OR e.seq > agent.events - public_events
    )
    SELECT json_build_object('entries', coalesce(json_agg(json_build_object('index', s.i,
        'leaf', convert_from(l.leaf, 'UTF8'), 'opening', o.opening) ORDER BY s.i), '[]'::json),
      'more', (SELECT count(*) FROM found) > page,
      'seq', coalesce(max(s.seq), p_after_seq), 'index', coalesce(max(s.i), p_after_index))
    FROM shown s LEFT JOIN leaves l ON l.index = s.i LEFT JOIN opened o ON o.i = s.i
  );
END $$;
