-- The leaves of an agent in the order of the log, below the newest signed head, with the openings that the reader may
-- see: the operator of the agent all; its platform those of events since the agent joined it; everyone those of the 50
-- newest events, of incidents, and of the current profile. Metadata and texts that are redacted are never opened;
-- withheld texts are opened only for the operator, and events also for the platform: the public then sees neither
-- metadata nor events of custom types.
--
-- p_reg: agent number; p_operator, p_platform: of the reader, null for the public; p_kinds: of leaves; p_after_seq: only
-- events after this seq; p_after_index: only other leaves after this index; p_most, p_public_most: maximum number of
-- entries for the operator or the platform of the agent, and for others; p_bytes: maximum size of the entries as JSON;
-- p_public_events: how many of the newest events are public
-- Returns: {entries, more, seq, index}; seq and index are where the page ends. An entry is {index, leaf, opening};
-- opening is null or {salt, facts}, with metadata or texts that are shown also {metadata_salt, metadata} or
-- {texts_salt, texts}. There is at least one entry, even if it is larger than p_bytes. Null if there is no such agent.
-- Locks: none. Reads seeds, which must not leave the database.
--
-- A loop of lookups by key: it stops at the size of the page, and its plans do not depend on statistics.
CREATE OR REPLACE FUNCTION tlog_entries(
  p_reg text, p_operator uuid, p_platform uuid, p_kinds text[], p_after_seq bigint, p_after_index bigint,
  p_most integer, p_public_most integer, p_bytes integer, p_public_events integer
) RETURNS json LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  head bigint := (SELECT coalesce(max(h.size), 0) FROM tlog_heads h);
  agent record;
  one record;
  seed bytea;
  -- The bundle that was read last, and where in it the leaf with the index `reached` begins.
  bundle bigint;
  bundled bytea;
  reached bigint;
  place integer;
  opening json;
  entry json;
  entries json[] := '{}';
  bytes integer := 0;
  more boolean := false;
  last_seq bigint := p_after_seq;
  last_index bigint := p_after_index;
BEGIN
  SELECT a.id, a.revision, s.events, s.logged_events, texts_withheld(o.status, a.texts_withheld_at) AS is_withheld,
    coalesce(a.operator_id = p_operator, false) AS is_own,
    (SELECT a.platform_since FROM platforms p WHERE p.id = p_platform AND p.id = a.platform_id
      AND (a.platform_state = 'confirmed' OR p.admission = 'open')) AS since
  INTO agent
  FROM agents a JOIN agent_stats s ON s.agent_id = a.id JOIN operators o ON o.id = a.operator_id WHERE a.reg = p_reg;
  IF NOT FOUND THEN RETURN NULL; END IF;
  IF NOT agent.is_own AND agent.since IS NULL THEN p_most := least(p_most, p_public_most); END IF;
  FOR one IN
    SELECT * FROM (
      SELECT f.index AS i, f.kind, NULL::bigint AS seq, f.subject, f.rev, f.facts, f.texts
      FROM unnest(p_kinds) AS k (kind) CROSS JOIN LATERAL (
        -- Compared as rows, because the planner could otherwise read the leaves of all agents in order of their index.
        SELECT * FROM tlog_facts x WHERE (x.agent_id, x.kind, x.index) > (agent.id, k.kind, p_after_index)
          AND (x.agent_id, x.kind, x.index) < (agent.id, k.kind, head)
        ORDER BY x.agent_id, x.kind, x.index LIMIT p_most + 1
      ) f
      UNION ALL
      SELECT r.first_index + q.seq - r.first_seq, 'event', q.seq, NULL, NULL, NULL, NULL
      FROM generate_series(p_after_seq + 1, least(p_after_seq + p_most + 1, agent.logged_events)) AS q (seq)
      CROSS JOIN LATERAL (
        SELECT * FROM tlog_ranges x WHERE x.agent_id = agent.id AND x.first_seq <= q.seq
        ORDER BY x.first_seq DESC LIMIT 1
      ) r
      WHERE 'event' = ANY (p_kinds) AND r.first_index + q.seq - r.first_seq < head
    ) u ORDER BY u.i LIMIT p_most + 1
  LOOP
    more := cardinality(entries) = p_most;
    EXIT WHEN more;
    IF bundle IS DISTINCT FROM one.i / 256 THEN
      bundle := one.i / 256;
      reached := bundle * 256;
      place := 0;
      -- The concatenation decompresses the value once, instead of at each access.
      bundled := (SELECT b.entries || ''::bytea FROM tlog_bundles b WHERE b.n = bundle);
    END IF;
    WHILE reached < one.i LOOP
      place := place + 2 + get_byte(bundled, place) * 256 + get_byte(bundled, place + 1);
      reached := reached + 1;
    END LOOP;
    opening := NULL;
    seed := (SELECT b.seed FROM tlog_batches b WHERE b.first_index <= one.i ORDER BY b.first_index DESC LIMIT 1);
    IF one.kind = 'event' THEN
      opening := (
        SELECT jsonb_build_object('salt', base64url(tlog_salt(seed, 'f', one.i)), 'facts',
            tlog_event_facts_v1(e, coalesce(r.metadata_commitment, tlog_commit(m.salt, e.metadata::text))))
          || CASE WHEN r.event_id IS NULL AND (agent.is_own OR e.created_at >= agent.since OR NOT agent.is_withheld)
            THEN jsonb_build_object('metadata_salt', base64url(m.salt), 'metadata', e.metadata::text) ELSE '{}' END
        FROM activity_events e CROSS JOIN LATERAL (SELECT tlog_salt(seed, 'm', one.i) AS salt) m
        LEFT JOIN redactions r ON r.event_id = e.id
        WHERE e.agent_id = agent.id AND e.seq = one.seq
          AND (agent.is_own OR e.created_at >= agent.since OR e.seq > agent.events - p_public_events
            AND (NOT agent.is_withheld OR e.event_type = public_event_type(e.event_type)))
      );
    ELSIF one.kind = 'incident' OR one.kind = 'agent' AND (agent.is_own OR one.rev = agent.revision) THEN
      opening := jsonb_build_object('salt', base64url(tlog_salt(seed, 'f', one.i)), 'facts', one.facts)
        || CASE WHEN one.texts IS NOT NULL AND (agent.is_own OR NOT agent.is_withheld)
          AND NOT EXISTS (SELECT FROM incidents n WHERE one.kind = 'incident' AND n.id = one.subject::uuid AND n.redacted)
          THEN jsonb_build_object('texts_salt', base64url(tlog_salt(seed, 'm', one.i)), 'texts', one.texts) ELSE '{}' END;
    END IF;
    entry := json_build_object('index', one.i, 'leaf', convert_from(substr(bundled, place + 3,
      get_byte(bundled, place) * 256 + get_byte(bundled, place + 1)), 'UTF8'), 'opening', opening);
    bytes := bytes + octet_length(entry::text) + 1;
    more := bytes > p_bytes AND cardinality(entries) > 0;
    EXIT WHEN more;
    entries := entries || entry;
    last_seq := coalesce(one.seq, last_seq);
    last_index := one.i;
  END LOOP;
  RETURN json_build_object('entries', array_to_json(entries), 'more', more, 'seq', last_seq, 'index', last_index);
END $$;
