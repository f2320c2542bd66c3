-- The indexes of the leaves about a key of an agent in the transparency log, below the newest signed head.
--
-- p_kid: thumbprint of the key
-- Returns: {added, revoked}; null for a leaf that no signed head covers. Locks: none.
CREATE OR REPLACE FUNCTION agent_key_leaves(p_kid text) RETURNS json
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT json_build_object('added', min(f.index) FILTER (WHERE f.rev = 1), 'revoked', min(f.index) FILTER (WHERE f.rev = 2))
  FROM tlog_facts f
  WHERE f.kind = 'agent_key' AND f.subject = p_kid AND f.index < (SELECT max(h.size) FROM tlog_heads h)
$$;
