-- Queues what the service declares about itself: the origin of the log, and which keys were added or removed.
--
-- p_says: {origin, leaf: the first leaf of the log, keys: [{kid, leaf: the leaf that states that the key was added}]}
-- Returns: null; or why nothing may be appended: other_origin, if the log has another origin
-- Locks: none; the caller has locked the row of tlog_state.
CREATE OR REPLACE FUNCTION tlog_declare(p_says jsonb) RETURNS text LANGUAGE plpgsql AS $$
DECLARE origin text := (SELECT f.subject FROM tlog_facts f WHERE f.kind = 'log' ORDER BY f.index DESC LIMIT 1);
BEGIN
  IF coalesce(origin, p_says ->> 'origin') IS DISTINCT FROM p_says ->> 'origin' THEN RETURN 'other_origin'; END IF;
  IF p_says ->> 'leaf' NOT LIKE '{"v":1,"kind":"log",%' OR EXISTS (
    SELECT FROM jsonb_to_recordset(p_says -> 'keys') AS key (kid text, leaf text)
    WHERE key.leaf NOT LIKE '{"v":1,"kind":"key",%,"kid":"' || key.kid || '",%' OR key.kid IS NULL) THEN
    RAISE EXCEPTION 'what the service says of itself are leaves of log and key' USING ERRCODE = 'invalid_parameter_value';
  END IF;
  INSERT INTO tlog_outbox (kind, subject, rev, facts)
  SELECT 'log', p_says ->> 'origin', 1, p_says ->> 'leaf' WHERE origin IS NULL
  UNION ALL
  SELECT 'key', coalesce(known.subject, key.kid), coalesce(known.rev, 0) + 1,
    coalesce(key.leaf, replace(known.facts, '"state":"added"}', '"state":"removed"}'))
  FROM (SELECT DISTINCT ON (f.subject) f.subject, f.rev, f.facts, f.facts LIKE '%"state":"added"}' AS is_there
    FROM tlog_facts f WHERE f.kind = 'key' ORDER BY f.subject, f.rev DESC) known
  FULL JOIN jsonb_to_recordset(p_says -> 'keys') AS key (kid text, leaf text) ON key.kid = known.subject
  WHERE coalesce(known.is_there, false) <> (key.kid IS NOT NULL)
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
