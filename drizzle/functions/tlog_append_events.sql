-- Appends events to the transparency log: for each agent those after its last logged event, in order of seq, up to the
-- number of events that the database snapshot shows. seq is assigned under the lock of the agent's row, in the
-- transaction that inserts the event: a snapshot that shows events = n shows every event up to n, even if others commit
-- late. Nothing depends on the order of times or ids.
--
-- p_most: maximum number of leaves; p_seed: 32 random bytes, new for each call; p_at: the time; p_head: see tlog_open
-- Returns: {size, appended, more}, or {refusal} (see tlog_open)
-- Locks: the row of tlog_state; at the end, briefly, rows of agent_stats in order of id.
CREATE OR REPLACE FUNCTION tlog_append_events(p_most integer, p_seed bytea, p_at timestamptz, p_head bigint) RETURNS json
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  log record;
  new_size bigint;
  leaves bytea[];
  agent_ids uuid[];
  uptos bigint[];
  firsts timestamptz[];
  lasts timestamptz[];
BEGIN
  SELECT * INTO log FROM tlog_open(p_head);
  IF log.refusal IS NOT NULL THEN RETURN json_build_object('refusal', log.refusal); END IF;
  IF log.size = 0 THEN RETURN json_build_object('size', 0, 'appended', 0, 'more', false); END IF;
  WITH due AS MATERIALIZED (
    SELECT d.agent_id, d.logged_events AS base, least(d.events, d.logged_events + p_most - d.before) AS upto,
      (SELECT a.reg FROM agents a WHERE a.id = d.agent_id) AS reg
    FROM (
      SELECT s.*, (sum(s.events - s.logged_events) OVER (ORDER BY s.unlogged_since, s.agent_id)
        - (s.events - s.logged_events))::bigint AS before
      FROM (SELECT * FROM agent_stats WHERE unlogged_since IS NOT NULL AND events > logged_events
        ORDER BY unlogged_since, agent_id LIMIT p_most) s
    ) d WHERE d.before < p_most
  ), event AS MATERIALIZED (
    -- LIMIT makes the planner read a range of the index.
    SELECT log.size + row_number() OVER (ORDER BY d.agent_id, (e).seq) - 1 AS i, d.agent_id, d.reg, e
    FROM due d CROSS JOIN LATERAL (
      SELECT x AS e FROM activity_events x WHERE x.agent_id = d.agent_id AND x.seq > d.base AND x.seq <= d.upto
      ORDER BY x.seq LIMIT p_most
    ) one
  ), ranges AS (
    INSERT INTO tlog_ranges (agent_id, first_seq, first_index, leaves)
    SELECT agent_id, min((e).seq), min(i), count(*) FROM event GROUP BY agent_id
  )
  SELECT (SELECT array_agg(tlog_event_leaf(reg, e, p_seed, i,
      (SELECT r.metadata_commitment FROM redactions r WHERE r.event_id = (e).id)) ORDER BY i) FROM event),
    array_agg(agent_id), array_agg(upto), array_agg(first), array_agg(last)
  INTO leaves, agent_ids, uptos, firsts, lasts
  FROM (SELECT agent_id, max((e).seq) AS upto, min((e).created_at) AS first, max((e).created_at) AS last
    FROM event GROUP BY agent_id) g;
  new_size := tlog_put(log.size, leaves, p_seed, p_at);
  -- Last and short, because reports wait for these rows. Agents with remaining events get the time of the last logged
  -- event: the snapshot of this statement may be older than a lock that it waited for, and may not show the next event.
  WITH locked AS MATERIALIZED (
    SELECT s.agent_id, s.events, u.upto, u.last FROM agent_stats s
    JOIN unnest(agent_ids, uptos, lasts) AS u (agent_id, upto, last) ON u.agent_id = s.agent_id
    ORDER BY s.agent_id FOR NO KEY UPDATE OF s
  )
  UPDATE agent_stats s SET logged_events = l.upto, unlogged_since = CASE WHEN l.events > l.upto THEN l.last END
  FROM locked l WHERE s.agent_id = l.agent_id;
  -- After the rows of agent_stats, in the same order as the snapshots job, to avoid deadlocks.
  INSERT INTO tlog_days (day, agent_id)
  SELECT d.day, d.agent_id FROM unnest(agent_ids, firsts, lasts) AS u (agent_id, first, last)
  CROSS JOIN LATERAL (
    SELECT DISTINCT e.agent_id, e.day FROM agent_evidence e WHERE e.agent_id = u.agent_id
      AND e.day BETWEEN (u.first AT TIME ZONE 'utc')::date AND (u.last AT TIME ZONE 'utc')::date
  ) d ORDER BY 1, 2 ON CONFLICT DO NOTHING;
  RETURN json_build_object('size', new_size, 'appended', new_size - log.size, 'more', new_size - log.size >= p_most);
END $$;
