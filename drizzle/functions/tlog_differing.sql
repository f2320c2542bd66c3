-- Recomputes leaves of events from the stored events and compares them.
--
-- p_indexes: indexes of leaves; leaves of other kinds, and those that a restore declared void, are ignored
-- Returns: the indexes of leaves that differ from their events, or whose events are missing. Locks: none.
CREATE OR REPLACE FUNCTION tlog_differing(p_indexes bigint[]) RETURNS bigint[]
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT coalesce(array_agg(l.index ORDER BY l.index), '{}')
  FROM (SELECT DISTINCT i / 256 AS n FROM unnest(p_indexes) AS u (i)) b
  CROSS JOIN LATERAL (
    SELECT x.index, x.leaf, convert_from(x.leaf, 'UTF8')::json AS said FROM tlog_leaves(b.n) x WHERE x.index = ANY (p_indexes)
  ) l
  LEFT JOIN agents a ON a.reg = l.said ->> 'reg'
  LEFT JOIN activity_events e ON e.agent_id = a.id AND e.seq = (l.said ->> 'seq')::bigint
  WHERE l.said ->> 'kind' = 'event' AND NOT EXISTS (SELECT FROM tlog_facts v WHERE v.kind = 'restore'
      AND l.index >= split_part(v.subject, ' ', 1)::bigint AND l.index < split_part(v.subject, ' ', 2)::bigint)
    AND l.leaf IS DISTINCT FROM tlog_event_leaf(l.said ->> 'reg', e,
    (SELECT s.seed FROM tlog_batches s WHERE s.first_index <= l.index ORDER BY s.first_index DESC LIMIT 1), l.index,
    (SELECT r.metadata_commitment FROM redactions r WHERE r.event_id = e.id))
$$;
