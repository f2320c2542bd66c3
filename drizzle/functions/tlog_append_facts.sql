-- Appends leaves other than events to the transparency log: queued changes, and days that are over. A day is over ten
-- minutes after its end, once all events of the agent up to then are logged and scored; later changes make a new
-- revision of it. The very first leaf declares the log and is appended alone.
--
-- p_most: maximum number of changes, and of days; p_seed: 32 random bytes, new for each call; p_at: the time; p_head:
-- see tlog_open; p_says: see tlog_declare
-- Returns: {size, appended, more}, or {refusal} (see tlog_open and tlog_declare)
-- Locks: the row of tlog_state; queued rows that another transaction has locked are skipped
CREATE OR REPLACE FUNCTION tlog_append_facts(
  p_most integer, p_seed bytea, p_at timestamptz, p_head bigint, p_says jsonb
) RETURNS json LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  log record;
  refusal text;
  today date := ((p_at - interval '10 minutes') AT TIME ZONE 'utc')::date;
  bytes_max CONSTANT integer := 4000000; -- of texts per call
  days date[];
  agent_ids uuid[];
  leaves bytea[];
  new_size bigint;
BEGIN
  SELECT * INTO log FROM tlog_open(p_head);
  refusal := coalesce(log.refusal, tlog_declare(p_says));
  IF refusal IS NOT NULL THEN RETURN json_build_object('refusal', refusal); END IF;
  WITH over AS MATERIALIZED (
    SELECT d.day, d.agent_id FROM tlog_days d JOIN agent_stats s ON s.agent_id = d.agent_id
    WHERE log.size > 0 AND d.day < today AND (s.unlogged_since IS NOT NULL OR s.events = s.logged_events)
      AND coalesce(s.unlogged_since, 'infinity') >= (d.day + 1)::timestamp AT TIME ZONE 'utc'
      AND coalesce(s.unscored_since, 'infinity') >= (d.day + 1)::timestamp AT TIME ZONE 'utc'
      AND coalesce(s.scored_day, 'infinity') >= d.day
    ORDER BY d.day, d.agent_id LIMIT p_most FOR UPDATE OF d SKIP LOCKED
  ), gone AS (
    DELETE FROM tlog_days d USING over o WHERE d.day = o.day AND d.agent_id = o.agent_id RETURNING d.day, d.agent_id
  )
  SELECT array_agg(day), array_agg(agent_id) INTO days, agent_ids FROM gone;
  -- A separate statement, so that its snapshot shows what was written before the queued days were locked.
  WITH waiting AS MATERIALIZED (
    SELECT o.kind, o.subject, o.rev, octet_length(o.facts) + coalesce(octet_length(o.texts), 0) AS bytes FROM tlog_outbox o WHERE log.size > 0 OR o.kind = 'log'
    ORDER BY o.kind, o.subject, o.rev LIMIT p_most FOR UPDATE SKIP LOCKED
  ), next AS MATERIALIZED (
    SELECT * FROM (
      SELECT w.kind, w.subject, w.rev,
        sum(w.bytes) OVER (ORDER BY w.kind, w.subject, w.rev) - w.bytes AS bytes_before
      FROM waiting w
    ) b WHERE b.bytes_before < bytes_max
  ), taken AS (
    DELETE FROM tlog_outbox o USING next n
    WHERE o.kind = n.kind AND o.subject = n.subject AND o.rev = n.rev RETURNING o.*
  ), fact AS (
    SELECT kind, agent_id, subject, rev, facts, texts FROM taken
    UNION ALL
    SELECT 'day', c.agent_id, c.agent_id || ' ' || c.day, 1 + (SELECT coalesce(max(f.rev), 0) FROM tlog_facts f
      WHERE f.kind = 'day' AND f.subject = c.agent_id || ' ' || c.day), NULL, NULL
    FROM unnest(days, agent_ids) AS c (day, agent_id)
  ), placed AS MATERIALIZED (
    -- The facts of a thing with texts end with the commitment to them.
    SELECT n.i, n.kind, n.agent_id, n.subject, n.rev, n.texts, a.reg, CASE WHEN n.texts IS NULL THEN n.facts
      ELSE left(n.facts, -1) || ',"texts":"' || tlog_commit(tlog_salt(p_seed, 'm', n.i), n.texts) || '"}' END AS facts
    FROM (SELECT log.size + row_number() OVER (ORDER BY f.kind, f.subject, f.rev) - 1 AS i, f.* FROM fact f) n
    LEFT JOIN agents a ON a.id = n.agent_id
  ), kept AS (
    INSERT INTO tlog_facts (index, kind, agent_id, subject, rev, facts, texts)
    SELECT i, kind, agent_id, subject, rev, facts, texts FROM placed
  )
  SELECT array_agg(convert_to(CASE kind
      WHEN 'agent' THEN '{"v":1,"kind":"agent","reg":"' || reg || '","rev":' || rev || ',"c":"'
        || tlog_commit(tlog_salt(p_seed, 'f', i), facts) || '"}'
      WHEN 'incident' THEN '{"v":1,"kind":"incident","reg":"' || reg || '","id":"' || subject || '","rev":' || rev
        || ',"c":"' || tlog_commit(tlog_salt(p_seed, 'f', i), facts) || '"}'
      WHEN 'day' THEN tlog_day_leaf(agent_id, reg, right(subject, 10)::date, rev)
      ELSE facts END, 'UTF8') ORDER BY i)
  INTO leaves FROM placed;
  new_size := tlog_put(log.size, leaves, p_seed, p_at);
  RETURN json_build_object('size', new_size, 'appended', new_size - log.size,
    'more', log.size = 0 OR new_size - log.size >= p_most OR new_size > log.size AND EXISTS (SELECT FROM tlog_outbox));
END $$;
