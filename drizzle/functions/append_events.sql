-- Appends events to the logs of agents that belong to an operator, or to a platform when one is given, and moves the
-- agents' counters and the rollup rows of the day with them. All events of an agent are stored or none; a single report
-- is a batch of one.
--
-- p_operator: the caller's operator; p_platform: the caller's platform, null for an operator; p_reporter: what the log
-- says of the caller (operator or platform); p_at: the time of the request; p_go: false does nothing and returns null
-- p_agents: an array of one object for each agent: reg; log, its events in order, each [id, type, severity, metadata];
-- added, what they add to the rollup row but for uptime (fields that are 0 may be left out, but not events); opened, how
-- many incidents they open (absent for none); lifecycle, as of lifecycle_step (absent for none)
-- Returns: an array of one object for each agent (reg, outcome, agent_id, operator_id, platform_id, created_at), where
-- outcome is stored, unknown_agent, foreign_agent or deactivated, and created_at is null unless stored; it never goes back
-- along an agent's log.
-- Locks: each agent's row of agent_stats until the end of the transaction, several in the order of their ids; under it seq
-- has no gaps, a deactivation is seen, and the rollup row has one writer.
--
-- Most reports are of one agent: four plain statements serve it; the one for several would cost it more.
CREATE OR REPLACE FUNCTION append_events(
  p_operator uuid, p_platform uuid, p_reporter text, p_at timestamptz, p_go boolean, p_agents jsonb
) RETURNS jsonb LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  -- A row that adds nothing: agent and day, then as many zeros as agent_daily has counters.
  nothing agent_daily := '(,,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0)'::agent_daily;
  one jsonb;
  agent record;
  known record;
  step record;
  after record;
  added agent_daily;
  moved boolean := false;
  facts jsonb;
  rollups agent_daily[];
BEGIN
  IF NOT p_go THEN RETURN NULL; END IF;
  IF jsonb_array_length(p_agents) = 1 THEN
    one := p_agents -> 0;
    SELECT a.id, a.operator_id, a.platform_id, CASE WHEN p_platform IS NULL THEN a.operator_id = p_operator
      ELSE a.platform_id IS NOT DISTINCT FROM p_platform END AS owned
    INTO agent FROM agents a WHERE a.reg = one ->> 'reg';
    IF agent.owned IS NOT TRUE THEN
      RETURN jsonb_build_array(jsonb_build_object('reg', one -> 'reg', 'agent_id', agent.id, 'created_at', NULL,
        'outcome', CASE WHEN agent.id IS NULL THEN 'unknown_agent' ELSE 'foreign_agent' END));
    END IF;
    added := jsonb_populate_record(nothing, one -> 'added');
    added.up_seconds := 0;
    added.down_seconds := 0;
    IF one ? 'lifecycle' THEN
      SELECT s.lifecycle_state, s.lifecycle_since, greatest(s.last_active_at, p_at) AS created_at INTO known
      FROM agent_stats s WHERE s.agent_id = agent.id FOR NO KEY UPDATE;
      SELECT * INTO step
      FROM lifecycle_step(known.lifecycle_state, known.lifecycle_since, known.created_at, one -> 'lifecycle');
      moved := step.moved;
      added.up_seconds := step.up_seconds;
      added.down_seconds := step.down_seconds;
    END IF;
    UPDATE agent_stats s SET events = s.events + added.events, last_active_at = greatest(s.last_active_at, p_at),
      unscored_since = coalesce(s.unscored_since, p_at), tasks_completed = s.tasks_completed + added.completed,
      tasks_failed = s.tasks_failed + added.failed, response_count = s.response_count + added.latency_count,
      response_ms = s.response_ms + added.latency_ms,
      incident_count = s.incident_count + coalesce((one ->> 'opened')::integer, 0),
      open_incident_count = s.open_incident_count + coalesce((one ->> 'opened')::integer, 0),
      lifecycle_state = CASE WHEN moved THEN one #>> '{lifecycle,end_state}' ELSE s.lifecycle_state END,
      lifecycle_since = CASE WHEN moved THEN greatest(s.last_active_at, p_at) ELSE s.lifecycle_since END
    WHERE s.agent_id = agent.id AND NOT s.deactivated
    RETURNING s.events, s.last_active_at AS created_at INTO after;
    IF NOT FOUND THEN
      RETURN jsonb_build_array(jsonb_build_object('reg', one -> 'reg', 'agent_id', agent.id, 'created_at', NULL,
        'outcome', 'deactivated'));
    END IF;
    INSERT INTO activity_events (id, agent_id, seq, event_type, severity, metadata, reported_by, created_at)
    SELECT (e.event ->> 0)::uuid, agent.id, after.events - added.events + e.nth, e.event ->> 1, e.event ->> 2,
      e.event -> 3, p_reporter, after.created_at
    FROM jsonb_array_elements(one -> 'log') WITH ORDINALITY AS e (event, nth);
    added.agent_id := agent.id;
    added.day := (after.created_at AT TIME ZONE 'utc')::date;
    added.platform_events := CASE WHEN agent.operator_id <> p_operator THEN added.events ELSE 0 END;
    rollups := ARRAY[added];
    facts := jsonb_build_array(jsonb_build_object('reg', one -> 'reg', 'outcome', 'stored', 'agent_id', agent.id,
      'operator_id', agent.operator_id, 'platform_id', agent.platform_id, 'created_at', after.created_at));
  ELSE
    WITH entry AS MATERIALIZED (
      SELECT i.reg, i.log, i.added, i.lifecycle, coalesce(i.opened, 0) AS opened, a.id, a.operator_id, a.platform_id,
        CASE WHEN p_platform IS NULL THEN a.operator_id = p_operator
          ELSE a.platform_id IS NOT DISTINCT FROM p_platform END AS owned
      FROM jsonb_to_recordset(p_agents) AS i (reg text, log jsonb, added jsonb, lifecycle jsonb, opened integer)
      LEFT JOIN agents a ON a.reg = i.reg
    ), locked AS MATERIALIZED (
      SELECT s.agent_id, s.events, s.lifecycle_state, s.lifecycle_since, s.deactivated,
        greatest(s.last_active_at, p_at) AS created_at
      FROM agent_stats s WHERE s.agent_id IN (SELECT e.id FROM entry e WHERE e.id IS NOT NULL AND e.owned)
      ORDER BY s.agent_id FOR NO KEY UPDATE
    ), open AS MATERIALIZED (
      SELECT l.agent_id, l.events, l.created_at, e.log, e.opened, e.lifecycle ->> 'end_state' AS end_state, t.moved,
        jsonb_populate_record(nothing, e.added || jsonb_build_object('agent_id', l.agent_id,
          'day', (l.created_at AT TIME ZONE 'utc')::date, 'up_seconds', t.up_seconds, 'down_seconds', t.down_seconds,
          'platform_events', CASE WHEN e.operator_id <> p_operator THEN e.added -> 'events' ELSE '0' END)) AS rollup
      FROM locked l JOIN entry e ON e.id = l.agent_id
      CROSS JOIN LATERAL lifecycle_step(l.lifecycle_state, l.lifecycle_since, l.created_at, e.lifecycle) t
      WHERE NOT l.deactivated
    ), stats AS (
      UPDATE agent_stats s SET events = s.events + (o.rollup).events, last_active_at = o.created_at,
        unscored_since = coalesce(s.unscored_since, p_at),
        tasks_completed = s.tasks_completed + (o.rollup).completed, tasks_failed = s.tasks_failed + (o.rollup).failed,
        response_count = s.response_count + (o.rollup).latency_count,
        response_ms = s.response_ms + (o.rollup).latency_ms, incident_count = s.incident_count + o.opened,
        open_incident_count = s.open_incident_count + o.opened,
        lifecycle_state = CASE WHEN o.moved THEN o.end_state ELSE s.lifecycle_state END,
        lifecycle_since = CASE WHEN o.moved THEN o.created_at ELSE s.lifecycle_since END
      FROM open o WHERE s.agent_id = o.agent_id
    ), logged AS (
      INSERT INTO activity_events (id, agent_id, seq, event_type, severity, metadata, reported_by, created_at)
      SELECT (e.event ->> 0)::uuid, o.agent_id, o.events + e.nth, e.event ->> 1, e.event ->> 2, e.event -> 3,
        p_reporter, o.created_at
      FROM open o, jsonb_array_elements(o.log) WITH ORDINALITY AS e (event, nth)
    )
    SELECT coalesce(jsonb_agg(jsonb_build_object('reg', e.reg, 'agent_id', e.id, 'operator_id', e.operator_id,
        'platform_id', e.platform_id, 'created_at', o.created_at, 'outcome', CASE WHEN e.id IS NULL THEN 'unknown_agent'
          WHEN NOT e.owned THEN 'foreign_agent' WHEN o.agent_id IS NULL THEN 'deactivated' ELSE 'stored' END)), '[]'),
      array_agg(o.rollup) FILTER (WHERE o.agent_id IS NOT NULL)
    INTO facts, rollups FROM entry e LEFT JOIN open o ON o.agent_id = e.id;
  END IF;

  INSERT INTO agent_daily AS d SELECT * FROM unnest(rollups)
  ON CONFLICT (agent_id, day) DO UPDATE SET events = d.events + excluded.events,
    completed = d.completed + excluded.completed, failed = d.failed + excluded.failed,
    graded_count = d.graded_count + excluded.graded_count, graded_milli = d.graded_milli + excluded.graded_milli,
    latency_count = d.latency_count + excluded.latency_count, latency_ms = d.latency_ms + excluded.latency_ms,
    latency_satisfied = d.latency_satisfied + excluded.latency_satisfied,
    latency_tolerating = d.latency_tolerating + excluded.latency_tolerating,
    latency_log_micro = d.latency_log_micro + excluded.latency_log_micro,
    incidents_info = d.incidents_info + excluded.incidents_info,
    incidents_warning = d.incidents_warning + excluded.incidents_warning,
    incidents_error = d.incidents_error + excluded.incidents_error,
    incidents_critical = d.incidents_critical + excluded.incidents_critical,
    up_seconds = d.up_seconds + excluded.up_seconds, down_seconds = d.down_seconds + excluded.down_seconds,
    platform_events = d.platform_events + excluded.platform_events;
  RETURN facts;
END $$;
