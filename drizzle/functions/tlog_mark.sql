-- Queues what is missing in the log, going through all agents in turn: agents that are not in it yet, with their
-- incidents and days; and events that were stored without unlogged_since, as by a version of the service without the
-- log.
--
-- p_most: maximum number of agents; p_at: the time
-- Returns: number of agents that were checked; less than p_most at the end of a round, 0 while another sequencer is
-- running
-- Locks: the row of tlog_state, then rows of agents and agent_stats in order of id, only those with something missing
CREATE OR REPLACE FUNCTION tlog_mark(p_most integer, p_at timestamptz) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  new_max CONSTANT integer := 100;
  state record;
  agent_ids uuid[];
  newcomers uuid[];
BEGIN
  SELECT s.marked_agent INTO state FROM tlog_state s FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN RETURN 0; END IF;
  SELECT array_agg(s.agent_id ORDER BY s.agent_id) INTO agent_ids FROM (
    SELECT agent_id FROM agent_stats
    WHERE agent_id > coalesce(state.marked_agent, '00000000-0000-0000-0000-000000000000') ORDER BY agent_id LIMIT p_most) s;
  SELECT array_agg(n.id ORDER BY n.id) INTO newcomers FROM (
    SELECT a.id FROM agents a WHERE a.id = ANY (agent_ids) AND a.revision = 0 ORDER BY a.id LIMIT new_max
    FOR NO KEY UPDATE) n;
  IF cardinality(newcomers) = new_max THEN
    agent_ids := array(SELECT id FROM unnest(agent_ids) AS u (id) WHERE id <= newcomers[new_max] ORDER BY id);
  END IF;
  IF newcomers IS NOT NULL THEN
    WITH taken AS (
      UPDATE agents a SET revision = 1 WHERE a.id = ANY (newcomers) RETURNING a.*
    )
    INSERT INTO tlog_outbox (kind, subject, rev, agent_id, facts, texts)
    SELECT 'agent', a.id::text, 1, a.id, agent_facts(a), agent_texts(a) FROM agents a WHERE a.id IN (SELECT t.id FROM taken t)
    UNION ALL
    SELECT 'incident', i.id::text, 1 + (i.status = 'resolved')::integer, i.agent_id,
      incident_facts(i), incident_texts(i)
    FROM incidents i WHERE i.agent_id = ANY (newcomers)
      AND NOT EXISTS (SELECT FROM tlog_facts f WHERE f.kind = 'incident' AND f.subject = i.id::text)
    UNION ALL
    SELECT 'redaction', r.event_id::text, 1, r.agent_id, redaction_facts(r), NULL
    FROM redactions r
    WHERE r.agent_id = ANY (newcomers)
      AND NOT EXISTS (SELECT FROM tlog_facts f WHERE f.kind = 'redaction' AND f.subject = r.event_id::text)
    ON CONFLICT DO NOTHING;
  END IF;
  WITH unmarked AS MATERIALIZED (
    SELECT s.agent_id FROM agent_stats s
    WHERE s.agent_id = ANY (agent_ids) AND s.unlogged_since IS NULL AND s.events > s.logged_events
    ORDER BY s.agent_id FOR NO KEY UPDATE
  )
  -- The time of the first of them, so that no day is closed before its events are logged.
  UPDATE agent_stats s SET unlogged_since = least(p_at, s.last_active_at, (SELECT e.created_at FROM activity_events e
    WHERE e.agent_id = s.agent_id AND e.seq = s.logged_events + 1))
  FROM unmarked u WHERE s.agent_id = u.agent_id;
  -- After the rows of agent_stats, in the same order as the snapshots job, to avoid deadlocks.
  INSERT INTO tlog_days (day, agent_id)
  SELECT d.day, d.agent_id FROM (
    SELECT e.day, e.agent_id FROM agent_evidence e WHERE e.agent_id = ANY (newcomers)
    UNION SELECT h.day, h.agent_id FROM trust_scores h WHERE h.agent_id = ANY (newcomers)) d
  WHERE NOT EXISTS (SELECT FROM tlog_facts f WHERE f.kind = 'day' AND f.subject = d.agent_id || ' ' || d.day)
  ORDER BY 1, 2 ON CONFLICT DO NOTHING;
  UPDATE tlog_state SET marked_agent = CASE
    WHEN cardinality(agent_ids) = p_most OR cardinality(newcomers) = new_max THEN agent_ids[cardinality(agent_ids)] END;
  RETURN coalesce(cardinality(agent_ids), 0);
END $$;
