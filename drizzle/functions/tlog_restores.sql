-- The leaves that declare others void, below the newest signed head, for verifiers.
--
-- Returns: an array of {index, leaf}, oldest first. Locks: none.
CREATE OR REPLACE FUNCTION tlog_restores() RETURNS json
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT coalesce(json_agg(json_build_object('index', f.index, 'leaf', f.facts) ORDER BY f.index), '[]')
  FROM tlog_facts f WHERE f.kind = 'restore' AND f.index < (SELECT max(h.size) FROM tlog_heads h)
$$;
