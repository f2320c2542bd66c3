-- Appends events to the logs of agents of an operator, or of a platform if one is given, and updates the agents'
-- counters and the rollup rows of the day. For each agent, all events are stored or none; a single report is a batch of
-- one.
--
-- p_operator: the operator of the caller; p_platform: the platform of the caller, null for an operator; p_reporter:
-- reported_by of the events (operator or platform); p_events_max, p_bytes_max: the quotas of events, and of bytes of
-- metadata, per agent and UTC day in the tier of p_operator; p_down_max: see lifecycle_step; p_at: the time of the
-- request; p_go: false does nothing and returns null
-- p_agents: an array with one object per agent: reg; log, its events in order, each [id, type, severity, metadata];
-- bytes, the size of all metadata; added, what the events add to the rollup row except downtime (fields that are 0 may
-- be omitted, but not events); response_ms, the sum of response times; opened and criticals, the number of incidents
-- they open, and of critical ones among these (absent for none); lifecycle, see lifecycle_step (absent without a startup
-- or shutdown: then completed tasks are steps up)
-- Returns: an array with one object per agent: reg and outcome, which is stored, unknown_agent, foreign_agent,
-- retired_platform, unconfirmed_agent, deactivated, too_many_events, or too_many_bytes; if stored, also agent_id,
-- operator_id, platform_id, source, platform (the slug of p_platform), last_seq (of the last of its events), and
-- created_at, which never decreases along the log of an agent; if incidents are opened, also incidents_left and
-- criticals_left: how many may be reported to platforms in this minute, with these.
-- Locks, until the end of the transaction: for several agents an advisory lock of the caller; the row of agent_stats of
-- each agent, in order of id. Under the lock on the row, seq has no gaps, deactivations are seen, each rollup row has one
-- writer, and the events and bytes of the day are counted, separately for each side. Platform, approval, and identity of
-- an agent are those before its row is locked.
-- The source (source_of) is the same for all events of an agent in the batch. It is permanent: later findings about the
-- operators or the platform change no rows.
--
-- Each statement of the loop is a look-up by key with a stable plan: for one agent, which most reports are about, that is
-- faster than statements for all agents together.
CREATE OR REPLACE FUNCTION append_events(
  p_operator uuid, p_platform uuid, p_reporter text, p_events_max integer, p_bytes_max bigint, p_down_max bigint,
  p_at timestamptz, p_go boolean, p_agents jsonb
) RETURNS jsonb LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  -- Incidents per agent and UTC minute that may be reported. Critical ones are counted separately, up to counted_max.
  reported_max CONSTANT integer := 20;
  counted_max CONSTANT integer := 30000;
  batches CONSTANT integer := 1; -- the class of these advisory locks; mail_allowed has another
  -- A row that adds nothing: agent, day, and source are null, all counters of agent_evidence 0, printed empty.
  nothing agent_evidence := '(,,,0,0,0,0,0,0,0,0,0,0,0,0,0,)'::agent_evidence;
  today date := (p_at AT TIME ZONE 'utc')::date;
  -- Whether the caller's platform may not report at all, or only about agents that it has confirmed.
  is_retired boolean := false;
  is_by_approval boolean := false;
  is_independent boolean := false;
  platform_identity text; -- of its operator
  platform_slug text;
  is_self boolean;
  state text; -- of the side that reports, and since when
  since timestamptz;
  in_order jsonb[] := ARRAY[p_agents -> 0]; -- of p_agents, by the id of the agent
  reported jsonb;
  agent record;
  is_own boolean; -- whether the agent is one of p_operator
  rejection text;
  identity text; -- of its operator, read for agents of others
  added agent_evidence;
  more_bytes bigint;
  stats record;
  batch jsonb;
  step record;
  opened integer;
  criticals integer;
  minute record;
  fact jsonb;
  rejected jsonb[] := '{}';
  facts jsonb[] := '{}'; -- of what is stored
  logs jsonb[] := '{}'; -- the entries of each fact
BEGIN
  IF NOT p_go THEN RETURN NULL; END IF;
  IF p_platform IS NOT NULL THEN
    SELECT p.status = 'retired', p.admission = 'approval',
      p.established_at IS NOT NULL AND NOT is_distrusted(o.kyc_identity), o.kyc_identity, p.slug
    INTO is_retired, is_by_approval, is_independent, platform_identity, platform_slug
    FROM platforms p JOIN operators o ON o.id = p.operator_id WHERE p.id = p_platform;
  END IF;
  IF jsonb_array_length(p_agents) > 1 THEN
    in_order := ARRAY(SELECT i.reported FROM jsonb_array_elements(p_agents) AS i (reported)
      ORDER BY (SELECT a.id FROM agents a WHERE a.reg = i.reported ->> 'reg'));
    -- A caller's batches about the same agents wait here in order. Those that wait for a row all wake up at each commit.
    -- Nobody else waits here: a batch about agents of others is rejected only after this lock.
    PERFORM pg_advisory_xact_lock(batches, hashtext(coalesce(p_platform, p_operator) || (in_order[1] ->> 'reg')));
  END IF;
  FOREACH reported IN ARRAY in_order LOOP
    SELECT a.id, a.operator_id, a.platform_id, a.platform_state INTO agent FROM agents a WHERE a.reg = reported ->> 'reg';
    is_own := agent.operator_id = p_operator;
    rejection := CASE WHEN agent.id IS NULL THEN 'unknown_agent'
      WHEN p_platform IS NULL AND NOT is_own THEN 'foreign_agent'
      WHEN p_platform IS NOT NULL AND agent.platform_id IS DISTINCT FROM p_platform THEN 'foreign_agent'
      WHEN is_retired THEN 'retired_platform'
      WHEN is_by_approval AND agent.platform_state <> 'confirmed' THEN 'unconfirmed_agent' END;
    IF rejection IS NOT NULL THEN
      rejected := rejected || jsonb_build_object('reg', reported -> 'reg', 'outcome', rejection);
      CONTINUE;
    END IF;
    added := jsonb_populate_record(nothing, reported -> 'added');
    added.down_seconds := 0;
    more_bytes := (reported -> 'bytes')::bigint;
    UPDATE agent_stats s SET events = s.events + added.events, last_active_at = greatest(s.last_active_at, p_at),
      unscored_since = coalesce(s.unscored_since, p_at), unlogged_since = coalesce(s.unlogged_since, p_at),
      tasks_completed = s.tasks_completed + added.completed, tasks_failed = s.tasks_failed + added.failed,
      response_count = s.response_count + added.latency_count,
      response_ms = s.response_ms + coalesce((reported -> 'response_ms')::bigint, 0),
      reported_day = greatest(s.reported_day, today),
      own_events = of_today(s.reported_day, today, s.own_events) + CASE WHEN is_own THEN added.events ELSE 0 END,
      own_bytes = of_today(s.reported_day, today, s.own_bytes) + CASE WHEN is_own THEN more_bytes ELSE 0 END,
      platform_events = of_today(s.reported_day, today, s.platform_events)
        + CASE WHEN is_own THEN 0 ELSE added.events END,
      platform_bytes = of_today(s.reported_day, today, s.platform_bytes)
        + CASE WHEN is_own THEN 0 ELSE more_bytes END
    WHERE s.agent_id = agent.id AND NOT s.deactivated
      AND of_today(s.reported_day, today, CASE WHEN is_own THEN s.own_events ELSE s.platform_events END)
        <= p_events_max - added.events
      AND of_today(s.reported_day, today, CASE WHEN is_own THEN s.own_bytes ELSE s.platform_bytes END)
        <= p_bytes_max - more_bytes
    RETURNING s.events, s.last_active_at AS created_at, s.own_state, s.own_since, s.others_state, s.others_since INTO stats;
    IF NOT FOUND THEN
      rejected := rejected || (
        SELECT jsonb_build_object('reg', reported -> 'reg', 'outcome', CASE WHEN s.deactivated THEN 'deactivated'
          WHEN of_today(s.reported_day, today, CASE WHEN is_own THEN s.own_events ELSE s.platform_events END)
            > p_events_max - added.events THEN 'too_many_events' ELSE 'too_many_bytes' END)
        FROM agent_stats s WHERE s.agent_id = agent.id
      );
      CONTINUE;
    END IF;
    added.agent_id := agent.id;
    added.day := (stats.created_at AT TIME ZONE 'utc')::date;
    IF NOT is_own THEN
      SELECT o.kyc_identity INTO identity FROM operators o WHERE o.id = agent.operator_id;
    END IF;
    added.source := source_of(is_own, identity, platform_identity, is_independent);
    is_self := added.source = 'self';
    state := coalesce(CASE WHEN is_self THEN stats.own_state ELSE stats.others_state END, 'up');
    fact := jsonb_build_object('reg', reported -> 'reg', 'outcome', 'stored', 'agent_id', agent.id,
      'operator_id', agent.operator_id, 'platform_id', agent.platform_id, 'source', added.source, 'platform', platform_slug,
      'created_at', stats.created_at, 'last_seq', stats.events);
    IF reported ? 'opened' THEN
      opened := reported -> 'opened';
      criticals := reported -> 'criticals';
      UPDATE agent_stats s SET incident_count = s.incident_count + opened,
        open_incident_count = s.open_incident_count + opened, incident_minute = date_trunc('minute', stats.created_at),
        minute_incidents = least(counted_max, opened - criticals
          + of_minute(s.incident_minute, date_trunc('minute', stats.created_at), s.minute_incidents)),
        minute_criticals = least(counted_max, criticals
          + of_minute(s.incident_minute, date_trunc('minute', stats.created_at), s.minute_criticals))
      WHERE s.agent_id = agent.id RETURNING s.minute_incidents, s.minute_criticals INTO minute;
      fact := fact || jsonb_build_object(
        'incidents_left', greatest(0, reported_max - (minute.minute_incidents - (opened - criticals))),
        'criticals_left', greatest(0, reported_max - (minute.minute_criticals - criticals)));
    END IF;
    IF reported ? 'lifecycle' OR state <> 'up' AND added.completed > 0 THEN
      since := CASE WHEN is_self THEN stats.own_since ELSE stats.others_since END;
      batch := coalesce(reported -> 'lifecycle', '{"has_up": true, "has_shutdown": false, "end_state": "up"}');
      SELECT * INTO step FROM lifecycle_step(state, since, stats.created_at, batch, p_down_max);
      IF step.moved THEN
        added.down_seconds := step.down_seconds;
        UPDATE agent_stats s SET own_state = CASE WHEN is_self THEN batch ->> 'end_state' ELSE s.own_state END,
          own_since = CASE WHEN is_self THEN stats.created_at ELSE s.own_since END,
          others_state = CASE WHEN is_self THEN s.others_state ELSE batch ->> 'end_state' END,
          others_since = CASE WHEN is_self THEN s.others_since ELSE stats.created_at END
        WHERE s.agent_id = agent.id;
        -- Only days in between are kept: those of its beginning and its end are not touched by it.
        IF state = 'failed' AND added.day - (since AT TIME ZONE 'utc')::date > 1 THEN
          INSERT INTO agent_outages (agent_id, is_own, began_on, ended_on)
          VALUES (agent.id, is_self, (since AT TIME ZONE 'utc')::date, added.day) ON CONFLICT DO NOTHING;
        END IF;
      END IF;
    END IF;
    -- The lock on agent_stats makes this the only writer of the row. It exists already for most reports, and INSERT with
    -- ON CONFLICT would run the trigger that prints it twice.
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
    facts := facts || fact;
    logs := logs || (reported -> 'log');
  END LOOP;
  -- One statement for all agents: a sixth of the time of a batch of fifty.
  INSERT INTO activity_events (id, agent_id, seq, event_type, severity, metadata, reported_by, source, platform, created_at)
  SELECT (e.event ->> 0)::uuid, s.agent_id, s.last_seq - jsonb_array_length(s.log) + e.nth, e.event ->> 1, e.event ->> 2,
    e.event -> 3, p_reporter, s.source, platform_slug, s.created_at
  FROM (
    SELECT i.log, f.* FROM unnest(logs, facts) AS i (log, fact), jsonb_to_record(i.fact)
      AS f (agent_id uuid, last_seq bigint, source report_source, created_at timestamptz) OFFSET 0
  ) s, jsonb_array_elements(s.log) WITH ORDINALITY AS e (event, nth);
  RETURN to_jsonb(facts || rejected);
END $$;
