-- Appends one event to the log of an agent that belongs to the operator, or to the platform when one is given, and moves
-- the agent's counters and the rollup row of the day with it. The row of agent_stats is locked from its update on, so
-- that `seq` has no gaps, `created_at` never goes back and a deactivation is seen.
--
-- `added` is what the event adds to the rollup row; `lifecycle` (has_startup, has_shutdown, end_state) is null unless it
-- starts or stops the agent. No row for an unknown agent or without `go`; `created_at` is null when nothing was stored.
CREATE OR REPLACE FUNCTION append_event(
  asked text, operator uuid, platform uuid, go boolean, event uuid, type text, event_severity text, event_metadata jsonb,
  reporter text, at timestamptz, added jsonb, lifecycle jsonb
) RETURNS TABLE (agent_id uuid, operator_id uuid, platform_id uuid, owned boolean, created_at timestamptz)
LANGUAGE plpgsql ROWS 1 AS $$
#variable_conflict use_column
DECLARE
  agent record;
  before record;
  stats record;
  day agent_daily := jsonb_populate_record(NULL::agent_daily, added);
  opened integer := (type = 'incident')::integer;
  moved boolean := false;
  seconds bigint;
BEGIN
  IF NOT go THEN RETURN; END IF;
  SELECT a.id, a.operator_id, a.platform_id,
    CASE WHEN platform IS NULL THEN a.operator_id = operator ELSE a.platform_id IS NOT DISTINCT FROM platform END AS owned
  INTO agent FROM agents a WHERE a.reg = asked;
  IF NOT FOUND THEN RETURN; END IF;
  agent_id := agent.id;
  operator_id := agent.operator_id;
  platform_id := agent.platform_id;
  owned := agent.owned;
  IF NOT owned THEN RETURN NEXT; RETURN; END IF;

  IF lifecycle IS NOT NULL THEN
    SELECT s.lifecycle_state AS state, s.lifecycle_since AS since INTO before
    FROM agent_stats s WHERE s.agent_id = agent.id FOR NO KEY UPDATE;
    moved := CASE before.state WHEN 'up' THEN (lifecycle ->> 'has_shutdown')::boolean
      WHEN 'down' THEN (lifecycle ->> 'has_startup')::boolean
      WHEN 'failed' THEN (lifecycle ->> 'has_startup')::boolean ELSE true END;
  END IF;
  UPDATE agent_stats s SET events = s.events + 1, last_active_at = greatest(s.last_active_at, at),
    unscored_since = coalesce(s.unscored_since, at), tasks_completed = s.tasks_completed + day.completed,
    tasks_failed = s.tasks_failed + day.failed, response_count = s.response_count + day.latency_count,
    response_ms = s.response_ms + day.latency_ms, incident_count = s.incident_count + opened,
    open_incident_count = s.open_incident_count + opened,
    lifecycle_state = CASE WHEN moved THEN lifecycle ->> 'end_state' ELSE s.lifecycle_state END,
    lifecycle_since = CASE WHEN moved THEN greatest(s.last_active_at, at) ELSE s.lifecycle_since END
  WHERE s.agent_id = agent.id AND NOT s.deactivated
  RETURNING s.events AS seq, s.last_active_at AS at INTO stats;
  IF NOT FOUND THEN RETURN NEXT; RETURN; END IF;
  created_at := stats.at;

  INSERT INTO activity_events (id, agent_id, seq, event_type, severity, metadata, reported_by, created_at)
  VALUES (event, agent.id, stats.seq, type, event_severity, event_metadata, reporter, stats.at);

  day.up_seconds := 0;
  day.down_seconds := 0;
  IF moved THEN -- an interval counts for 90 days at most, as MAX_INTERVAL_SECONDS says
    seconds := least(7776000, greatest(0, floor(extract(epoch FROM stats.at - before.since))));
    IF before.state = 'up' THEN day.up_seconds := seconds; END IF;
    IF before.state = 'failed' THEN day.down_seconds := seconds; END IF;
  END IF;
  INSERT INTO agent_daily AS d (agent_id, day, events, completed, failed, graded_count, graded_milli, latency_count,
    latency_ms, latency_satisfied, latency_tolerating, latency_log_micro, incidents_info, incidents_warning,
    incidents_error, incidents_critical, up_seconds, down_seconds, platform_events)
  VALUES (agent.id, (stats.at AT TIME ZONE 'utc')::date, day.events, day.completed, day.failed, day.graded_count,
    day.graded_milli, day.latency_count, day.latency_ms, day.latency_satisfied, day.latency_tolerating,
    day.latency_log_micro, day.incidents_info, day.incidents_warning, day.incidents_error, day.incidents_critical,
    day.up_seconds, day.down_seconds, (platform IS NOT NULL AND agent.operator_id <> operator)::integer)
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
  RETURN NEXT;
END $$;
