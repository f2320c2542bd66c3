-- The leaves of an operator or platform in the order of the log, below the newest signed head.
--
-- p_kind: operator or platform; p_subject: id of the operator, or slug of the platform; p_after: only leaves after this
-- index; p_most: maximum number of leaves
-- Returns: {entries, more}; an entry is {index, leaf}. Null if there is no such operator or platform. Locks: none.
CREATE OR REPLACE FUNCTION tlog_states(p_kind text, p_subject text, p_after bigint, p_most integer) RETURNS json
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  entries json[];
BEGIN
  IF p_kind = 'operator' THEN
    PERFORM FROM operators o WHERE o.id = p_subject::uuid;
  ELSE
    PERFORM FROM platforms p WHERE p.slug = p_subject;
  END IF;
  IF NOT FOUND THEN RETURN NULL; END IF;
  SELECT coalesce(array_agg(json_build_object('index', f.index, 'leaf', f.facts) ORDER BY f.index), '{}') INTO entries
  FROM (
    SELECT x.index, x.facts FROM tlog_facts x
    WHERE p_kind IN ('operator', 'platform') AND x.kind = p_kind AND x.subject = p_subject AND x.index > p_after
      AND x.index < (SELECT coalesce(max(h.size), 0) FROM tlog_heads h)
    ORDER BY x.rev LIMIT p_most + 1
  ) f;
  RETURN json_build_object('entries', to_json(entries[:p_most]), 'more', cardinality(entries) > p_most);
END $$;
