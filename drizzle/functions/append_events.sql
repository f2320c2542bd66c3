-- Appends events to the logs of agents of an operator, or of a platform if one is given, and updates the agents'
-- counters and the rollup rows of the day. For each agent, all events are stored or none; a single report is a batch of
-- one.
--
-- p_operator: the operator of the caller; p_platform: the platform of the caller, null for an operator; p_reporter:
-- reported_by of the events (operator or platform); p_events_max, p_bytes_max: the quotas of events, and of bytes of
-- metadata, per agent and UTC day in the tier of p_operator; p_at: the time of the request; p_go: false does nothing
-- and returns null
-- p_agents: an array with one object per agent: reg; log, its events in order, each [id, type, severity, metadata];
-- bytes, the size of all metadata; added, what the events add to the rollup row except downtime (fields that are 0 may
-- be omitted, but not events); response_ms, the sum of response times; opened and criticals, the number of incidents
-- they open, and of critical ones among these (absent for none); lifecycle, see lifecycle_step (absent for none)
-- Returns: an array with one object per agent (reg, outcome, agent_id, operator_id, platform_id, source, created_at; if
-- incidents are opened also incidents_left and criticals_left, how many may be reported to platforms in this minute,
-- including these; if a quota is exceeded also quota). outcome is stored, unknown_agent, foreign_agent,
-- retired_platform, unconfirmed_agent, deactivated, too_many_events, or too_many_bytes. Unless stored, source is absent
-- or null, and created_at null. created_at never decreases along the log of an agent.
-- Locks: the row of agent_stats of each agent until the end of the transaction, several in order of id. Under this
-- lock, seq has no gaps, deactivations are seen, each rollup row has one writer, and the events and bytes of the day
-- are counted, separately for each side. For several agents, the advisory lock of the first one is taken before.
-- The source (source_of) is the same for all events of an agent in the batch. It is permanent: later findings about the
-- operators or the platform change no rows.
--
-- Most reports are about one agent. They use simple statements, each a lookup by key with a stable plan; the statements
-- for several agents would be slower.
CREATE OR REPLACE FUNCTION append_events(
  p_operator uuid, p_platform uuid, p_reporter text, p_events_max integer, p_bytes_max bigint, p_at timestamptz,
  p_go boolean, p_agents jsonb
) RETURNS jsonb LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  -- Incidents per agent and UTC minute that may be reported. Critical ones are counted separately, up to counted_max.
  reported_max CONSTANT integer := 20;
  counted_max CONSTANT integer := 30000;
  batches CONSTANT integer := 1; -- the class of the advisory locks of batches
  -- A row that adds nothing: agent, day, and source are null, all counters of agent_evidence 0, printed empty.
  nothing agent_evidence := '(,,,0,0,0,0,0,0,0,0,0,0,0,0,0,)'::agent_evidence;
  today date := (p_at AT TIME ZONE 'utc')::date;
  -- Whether the caller's platform may not report at all, or only about agents that it has confirmed.
  is_retired boolean := false;
  is_by_approval boolean := false;
  is_independent boolean := false;
  -- The identities of the platform's operator and of the agent's operator.
  platform_identity text;
  agent_identity text;
  one jsonb;
  agent record;
  known record;
  step record;
  after record;
  added agent_evidence;
  is_own boolean;
  more_events integer;
  more_bytes bigint;
  opened integer;
  criticals integer;
  moved boolean := false;
  facts jsonb;
  rollups agent_evidence[];
  updated integer;
BEGIN
  IF NOT p_go THEN RETURN NULL; END IF;
  IF p_platform IS NOT NULL THEN
    SELECT p.status = 'retired', p.admission = 'approval', p.established_at IS NOT NULL AND p.distrusted_at IS NULL,
      o.kyc_identity
    INTO is_retired, is_by_approval, is_independent, platform_identity
    FROM platforms p JOIN operators o ON o.id = p.operator_id WHERE p.id = p_platform;
  END IF;
  IF jsonb_array_length(p_agents) = 1 THEN
    one := p_agents -> 0;
    SELECT a.id, a.operator_id, a.platform_id, CASE WHEN a.id IS NULL THEN 'unknown_agent'
      WHEN p_platform IS NULL THEN CASE WHEN a.operator_id <> p_operator THEN 'foreign_agent' END
      WHEN a.platform_id IS DISTINCT FROM p_platform THEN 'foreign_agent'
      WHEN is_retired THEN 'retired_platform'
      WHEN is_by_approval AND a.platform_state <> 'confirmed' THEN 'unconfirmed_agent' END AS rejection
    INTO agent FROM agents a WHERE a.reg = one ->> 'reg';
    IF agent.id IS NULL OR agent.rejection IS NOT NULL THEN
      RETURN jsonb_build_array(jsonb_build_object('reg', one -> 'reg', 'agent_id', agent.id, 'created_at', NULL,
        'outcome', coalesce(agent.rejection, 'unknown_agent')));
    END IF;
    is_own := agent.operator_id = p_operator;
    IF NOT is_own THEN
      SELECT o.kyc_identity INTO agent_identity FROM operators o WHERE o.id = agent.operator_id;
    END IF;
    more_bytes := (one -> 'bytes')::bigint;
    added := jsonb_populate_record(nothing, one -> 'added');
    more_events := added.events;
    added.down_seconds := 0;
    opened := coalesce((one -> 'opened')::integer, 0);
    criticals := coalesce((one -> 'criticals')::integer, 0);
    IF one ? 'lifecycle' THEN
      SELECT s.lifecycle_state, s.lifecycle_since, greatest(s.last_active_at, p_at) AS created_at INTO known
      FROM agent_stats s WHERE s.agent_id = agent.id FOR NO KEY UPDATE;
      SELECT * INTO step
      FROM lifecycle_step(known.lifecycle_state, known.lifecycle_since, known.created_at, one -> 'lifecycle');
      moved := step.moved;
      added.down_seconds := step.down_seconds;
    END IF;
    UPDATE agent_stats s SET events = s.events + more_events, last_active_at = greatest(s.last_active_at, p_at),
      unscored_since = coalesce(s.unscored_since, p_at), unlogged_since = coalesce(s.unlogged_since, p_at),
      tasks_completed = s.tasks_completed + added.completed,
      tasks_failed = s.tasks_failed + added.failed, response_count = s.response_count + added.latency_count,
      response_ms = s.response_ms + coalesce((one -> 'response_ms')::bigint, 0),
      incident_count = s.incident_count + opened, open_incident_count = s.open_incident_count + opened,
      incident_minute = CASE WHEN opened = 0 THEN s.incident_minute
        ELSE date_trunc('minute', greatest(s.last_active_at, p_at)) END,
      minute_incidents = CASE WHEN opened = 0 THEN s.minute_incidents ELSE least(counted_max, opened - criticals
        + of_minute(s.incident_minute, date_trunc('minute', greatest(s.last_active_at, p_at)), s.minute_incidents)) END,
      minute_criticals = CASE WHEN opened = 0 THEN s.minute_criticals ELSE least(counted_max, criticals
        + of_minute(s.incident_minute, date_trunc('minute', greatest(s.last_active_at, p_at)), s.minute_criticals)) END,
      lifecycle_state = CASE WHEN moved THEN one #>> '{lifecycle,end_state}' ELSE s.lifecycle_state END,
      lifecycle_since = CASE WHEN moved THEN greatest(s.last_active_at, p_at) ELSE s.lifecycle_since END,
      reported_day = greatest(s.reported_day, today),
      own_events = of_today(s.reported_day, today, s.own_events) + CASE WHEN is_own THEN more_events ELSE 0 END,
      own_bytes = of_today(s.reported_day, today, s.own_bytes) + CASE WHEN is_own THEN more_bytes ELSE 0 END,
      platform_events = of_today(s.reported_day, today, s.platform_events) + CASE WHEN is_own THEN 0 ELSE more_events END,
      platform_bytes = of_today(s.reported_day, today, s.platform_bytes) + CASE WHEN is_own THEN 0 ELSE more_bytes END
    WHERE s.agent_id = agent.id AND NOT s.deactivated
      AND of_today(s.reported_day, today, CASE WHEN is_own THEN s.own_events ELSE s.platform_events END)
        <= p_events_max - more_events
      AND of_today(s.reported_day, today, CASE WHEN is_own THEN s.own_bytes ELSE s.platform_bytes END)
        <= p_bytes_max - more_bytes
    RETURNING s.events, s.last_active_at AS created_at, s.minute_incidents, s.minute_criticals INTO after;
    IF NOT FOUND THEN
      RETURN (
        SELECT jsonb_build_array(jsonb_build_object('reg', one -> 'reg', 'agent_id', agent.id, 'created_at', NULL)
          || CASE WHEN s.deactivated THEN '{"outcome": "deactivated"}'
            WHEN of_today(s.reported_day, today, CASE WHEN is_own THEN s.own_events ELSE s.platform_events END)
              > p_events_max - more_events
            THEN jsonb_build_object('outcome', 'too_many_events', 'quota', p_events_max)
            ELSE jsonb_build_object('outcome', 'too_many_bytes', 'quota', p_bytes_max) END)
        FROM agent_stats s WHERE s.agent_id = agent.id
      );
    END IF;
    added.agent_id := agent.id;
    added.day := (after.created_at AT TIME ZONE 'utc')::date;
    added.source := source_of(agent_identity, platform_identity, is_independent);
    -- The locks on agent_stats make this the only writer of these rows. Most rows exist already, and INSERT with ON
    -- CONFLICT would run the trigger that prints them twice.
    UPDATE agent_evidence d SET events = d.events + added.events, completed = d.completed + added.completed,
      failed = d.failed + added.failed, graded_count = d.graded_count + added.graded_count,
      graded_milli = d.graded_milli + added.graded_milli, latency_count = d.latency_count + added.latency_count,
      latency_satisfied = d.latency_satisfied + added.latency_satisfied,
      latency_tolerating = d.latency_tolerating + added.latency_tolerating,
      incidents_info = d.incidents_info + added.incidents_info,
      incidents_warning = d.incidents_warning + added.incidents_warning,
      incidents_error = d.incidents_error + added.incidents_error,
      incidents_critical = d.incidents_critical + added.incidents_critical,
      down_seconds = d.down_seconds + added.down_seconds
    WHERE d.agent_id = added.agent_id AND d.day = added.day AND d.source = added.source;
    IF NOT FOUND THEN INSERT INTO agent_evidence SELECT added.*; END IF;
    INSERT INTO activity_events (id, agent_id, seq, event_type, severity, metadata, reported_by, source, created_at)
    SELECT (e.event ->> 0)::uuid, agent.id, after.events - more_events + e.nth, e.event ->> 1, e.event ->> 2,
      e.event -> 3, p_reporter, added.source, after.created_at
    FROM jsonb_array_elements(one -> 'log') WITH ORDINALITY AS e (event, nth);
    facts := jsonb_build_array(jsonb_build_object('reg', one -> 'reg', 'outcome', 'stored', 'agent_id', agent.id,
      'operator_id', agent.operator_id, 'platform_id', agent.platform_id, 'source', added.source,
      'created_at', after.created_at) || CASE WHEN opened = 0 THEN '{}' ELSE jsonb_build_object(
      'incidents_left', greatest(0, reported_max - (after.minute_incidents - (opened - criticals))),
      'criticals_left', greatest(0, reported_max - (after.minute_criticals - criticals))) END);
  ELSE
    -- Concurrent batches for the same agents wait here in order, unlike transactions that wait for row locks. What they
    -- read afterwards includes what they waited for.
    PERFORM pg_advisory_xact_lock(batches, hashtext(first.id::text)) FROM (
      SELECT a.id FROM jsonb_array_elements(p_agents) i JOIN agents a ON a.reg = i ->> 'reg' ORDER BY a.id LIMIT 1) first;
    WITH entry AS MATERIALIZED (
      SELECT i.*, a.id, a.operator_id, a.platform_id, a.operator_id = p_operator AS is_own,
        source_of(o.kyc_identity, platform_identity, is_independent) AS source,
        CASE WHEN a.id IS NULL THEN 'unknown_agent'
          WHEN p_platform IS NULL THEN CASE WHEN a.operator_id <> p_operator THEN 'foreign_agent' END
          WHEN a.platform_id IS DISTINCT FROM p_platform THEN 'foreign_agent'
          WHEN is_retired THEN 'retired_platform'
          WHEN is_by_approval AND a.platform_state <> 'confirmed' THEN 'unconfirmed_agent' END AS rejection
      FROM jsonb_to_recordset(p_agents) AS i (reg text, log jsonb, bytes bigint, added jsonb,
        response_ms bigint, lifecycle jsonb, opened integer, criticals integer)
      LEFT JOIN agents a ON a.reg = i.reg LEFT JOIN operators o ON o.id = a.operator_id AND o.id <> p_operator
    ), locked AS MATERIALIZED (
      SELECT s.*, greatest(s.last_active_at, p_at) AS created_at
      FROM agent_stats s WHERE s.agent_id IN (SELECT e.id FROM entry e WHERE e.rejection IS NULL)
      ORDER BY s.agent_id FOR NO KEY UPDATE
    ), judged AS MATERIALIZED (
      SELECT e.*, l.events, l.lifecycle_state, l.lifecycle_since, l.created_at, date_trunc('minute', l.created_at) AS minute,
        of_minute(l.incident_minute, date_trunc('minute', l.created_at), l.minute_incidents) AS minute_incidents,
        of_minute(l.incident_minute, date_trunc('minute', l.created_at), l.minute_criticals) AS minute_criticals,
        CASE WHEN l.deactivated THEN 'deactivated'
          WHEN of_today(l.reported_day, today, CASE WHEN e.is_own THEN l.own_events ELSE l.platform_events END)
            > p_events_max - (e.added -> 'events')::integer THEN 'too_many_events'
          WHEN of_today(l.reported_day, today, CASE WHEN e.is_own THEN l.own_bytes ELSE l.platform_bytes END)
            > p_bytes_max - e.bytes THEN 'too_many_bytes' ELSE 'stored' END AS outcome
      FROM locked l JOIN entry e ON e.id = l.agent_id
    ), open AS MATERIALIZED (
      SELECT j.*, t.moved,
        jsonb_populate_record(nothing, j.added || jsonb_build_object('agent_id', j.id,
          'day', (j.created_at AT TIME ZONE 'utc')::date, 'source', j.source, 'down_seconds', t.down_seconds)) AS rollup
      FROM judged j
      CROSS JOIN LATERAL lifecycle_step(j.lifecycle_state, j.lifecycle_since, j.created_at, j.lifecycle) t
      WHERE j.outcome = 'stored'
    ), stats AS (
      UPDATE agent_stats s SET events = s.events + (o.rollup).events, last_active_at = o.created_at,
        unscored_since = coalesce(s.unscored_since, p_at), unlogged_since = coalesce(s.unlogged_since, p_at),
        tasks_completed = s.tasks_completed + (o.rollup).completed, tasks_failed = s.tasks_failed + (o.rollup).failed,
        response_count = s.response_count + (o.rollup).latency_count,
        response_ms = s.response_ms + coalesce(o.response_ms, 0),
        incident_count = s.incident_count + coalesce(o.opened, 0),
        open_incident_count = s.open_incident_count + coalesce(o.opened, 0),
        incident_minute = CASE WHEN o.opened > 0 THEN o.minute ELSE s.incident_minute END,
        minute_incidents = CASE WHEN o.opened > 0 THEN least(counted_max, o.minute_incidents + o.opened - o.criticals)
          ELSE s.minute_incidents END,
        minute_criticals = CASE WHEN o.opened > 0 THEN least(counted_max, o.minute_criticals + o.criticals)
          ELSE s.minute_criticals END,
        lifecycle_state = CASE WHEN o.moved THEN o.lifecycle ->> 'end_state' ELSE s.lifecycle_state END,
        lifecycle_since = CASE WHEN o.moved THEN o.created_at ELSE s.lifecycle_since END,
        reported_day = greatest(s.reported_day, today),
        own_events = of_today(s.reported_day, today, s.own_events) + CASE WHEN o.is_own THEN (o.rollup).events ELSE 0 END,
        own_bytes = of_today(s.reported_day, today, s.own_bytes) + CASE WHEN o.is_own THEN o.bytes ELSE 0 END,
        platform_events = of_today(s.reported_day, today, s.platform_events)
          + CASE WHEN o.is_own THEN 0 ELSE (o.rollup).events END,
        platform_bytes = of_today(s.reported_day, today, s.platform_bytes) + CASE WHEN o.is_own THEN 0 ELSE o.bytes END
      FROM open o WHERE s.agent_id = o.id
    ), logged AS (
      INSERT INTO activity_events (id, agent_id, seq, event_type, severity, metadata, reported_by, source, created_at)
      SELECT (e.event ->> 0)::uuid, o.id, o.events + e.nth, e.event ->> 1, e.event ->> 2, e.event -> 3,
        p_reporter, o.source, o.created_at
      FROM open o, jsonb_array_elements(o.log) WITH ORDINALITY AS e (event, nth)
    )
    SELECT coalesce(jsonb_agg(jsonb_build_object('reg', e.reg, 'agent_id', e.id, 'operator_id', e.operator_id,
        'platform_id', e.platform_id, 'source', o.source, 'created_at', o.created_at,
        'outcome', coalesce(e.rejection, j.outcome))
        || CASE WHEN o.opened > 0
          THEN jsonb_build_object('incidents_left', greatest(0, reported_max - o.minute_incidents),
            'criticals_left', greatest(0, reported_max - o.minute_criticals))
          WHEN j.outcome = 'too_many_events' THEN jsonb_build_object('quota', p_events_max)
          WHEN j.outcome = 'too_many_bytes' THEN jsonb_build_object('quota', p_bytes_max) ELSE '{}' END), '[]'),
      array_agg(o.rollup) FILTER (WHERE o.id IS NOT NULL)
    INTO facts, rollups FROM entry e LEFT JOIN judged j ON j.id = e.id LEFT JOIN open o ON o.id = e.id;
    UPDATE agent_evidence d SET events = d.events + r.events, completed = d.completed + r.completed,
      failed = d.failed + r.failed, graded_count = d.graded_count + r.graded_count,
      graded_milli = d.graded_milli + r.graded_milli, latency_count = d.latency_count + r.latency_count,
      latency_satisfied = d.latency_satisfied + r.latency_satisfied,
      latency_tolerating = d.latency_tolerating + r.latency_tolerating,
      incidents_info = d.incidents_info + r.incidents_info, incidents_warning = d.incidents_warning + r.incidents_warning,
      incidents_error = d.incidents_error + r.incidents_error,
      incidents_critical = d.incidents_critical + r.incidents_critical, down_seconds = d.down_seconds + r.down_seconds
    FROM unnest(rollups) r WHERE d.agent_id = r.agent_id AND d.day = r.day AND d.source = r.source;
    GET DIAGNOSTICS updated = ROW_COUNT;
    IF updated < cardinality(rollups) THEN
      INSERT INTO agent_evidence SELECT * FROM unnest(rollups) ON CONFLICT DO NOTHING;
    END IF;
  END IF;
  RETURN facts;
END $$;
