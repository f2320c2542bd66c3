-- All origins of the log, oldest first, below the newest signed head.
--
-- Returns: an array of {origin, last_note, index}: its last signed note, and the index of the leaf that contains this
-- note and names the next origin; both null for the current origin. Locks: none.
CREATE OR REPLACE FUNCTION tlog_origins() RETURNS json
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT coalesce(json_agg(json_build_object('origin', o.subject, 'last_note', o.facts ->> 'previous', 'index', o.next)
    ORDER BY o.index), '[]')
  FROM (SELECT f.index, f.subject, lead(f.facts::json) OVER w AS facts, lead(f.index) OVER w AS next FROM tlog_facts f
    WHERE f.kind = 'log' AND f.index < (SELECT max(h.size) FROM tlog_heads h) WINDOW w AS (ORDER BY f.index)) o
$$;
