-- What the service declares in the log about itself, below the newest signed head, for verifiers.
--
-- p_kind: restore (leaves that declare others void) or key (keys that were added or removed)
-- Returns: an array of {index, leaf}, oldest first. Locks: none.
CREATE OR REPLACE FUNCTION tlog_announced(p_kind text) RETURNS json
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT coalesce(json_agg(json_build_object('index', f.index, 'leaf', f.facts) ORDER BY f.index), '[]')
  FROM tlog_facts f WHERE f.kind = p_kind AND f.kind IN ('restore', 'key') AND f.index < (SELECT max(h.size) FROM tlog_heads h)
$$;
