-- Stores events of agents and queues a delivery of each to its platform, if the platform is notified about this agent and
-- type of event: with admission by approval, about an unconfirmed agent only when it is registered.
--
-- Nobody can flood a platform by claiming that agents are on it: of incident.* and trust.* events about the claimed agents
-- of an operator, a platform gets claimed_max per UTC minute. If some were not sent, the next one has `truncated`.
--
-- p_events: [{event_id, type, created_at, data, agent_id}]: for the platform of the agent, if any; or, instead of agent_id,
-- {platform_id, platform_state}: for this platform, of which the agent is or was a member in this state. Events of incidents
-- and scores have an agent_id
-- p_delivery: a UUIDv7 of the time, from which the ids of the deliveries are made; p_at: the time of the request;
-- p_attempts_max: how many attempts an operator may cause per day to URLs that have never returned 2xx
-- Returns: the deliveries to publish [{delivery_id, type, attempt, publish_count, operator_id, tier, host}], null if none.
-- A delivery to a platform to which webhooks are currently not sent is skipped, and can be recovered.
-- Locks: the rows of claimed_events, in order of their key; callers have locked those of agent_stats before.
CREATE OR REPLACE FUNCTION emit_events(p_events jsonb, p_delivery uuid, p_at timestamptz, p_attempts_max integer)
RETURNS jsonb LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  claimed_max CONSTANT integer := 5;
  today date := (p_at AT TIME ZONE 'utc')::date;
  publications jsonb;
BEGIN
  WITH candidates AS MATERIALIZED (
    SELECT n.event_id, n.type, n.created_at, n.data, p.id AS platform_id, p.operator_id, o.tier,
      webhook_host(p.webhook_url) AS host,
      CASE WHEN p.webhook_status = 'enabled' AND o.status = 'active' AND (p.last_response_at IS NOT NULL
        OR of_today(o.unresponsive_day, today, o.unresponsive_attempts) < p_attempts_max) THEN 'pending' ELSE 'skipped' END AS status,
      CASE WHEN a.platform_state = 'claimed' AND n.type ~ '^(incident|trust)[.]' THEN a.operator_id END AS claimant
    FROM jsonb_to_recordset(p_events) AS n (event_id text, type text, created_at timestamptz, data jsonb,
      agent_id uuid, platform_id uuid, platform_state text)
    -- Limited to one row, so that the planner looks each up by its id, however many events it expects.
    LEFT JOIN LATERAL (SELECT * FROM agents WHERE id = n.agent_id LIMIT 1) a ON true
    JOIN LATERAL (SELECT * FROM platforms WHERE id = coalesce(n.platform_id, a.platform_id) LIMIT 1) p ON true
    JOIN LATERAL (SELECT * FROM operators WHERE id = p.operator_id LIMIT 1) o ON true
    WHERE p.status = 'active' AND p.webhook_url IS NOT NULL AND (p.event_types IS NULL OR n.type = ANY (p.event_types))
      AND (p.admission = 'open' OR coalesce(n.platform_state, a.platform_state) = 'confirmed' OR n.type = 'agent.registered')
  ), claims AS (
    INSERT INTO claimed_events AS k (operator_id, platform_id, minute, events)
    SELECT claimant, platform_id, date_trunc('minute', p_at), count(*) FROM candidates WHERE claimant IS NOT NULL
    GROUP BY claimant, platform_id ORDER BY claimant, platform_id
    ON CONFLICT (operator_id, platform_id) DO UPDATE SET minute = greatest(k.minute, excluded.minute),
      events = excluded.events + CASE WHEN k.minute < excluded.minute THEN 0 ELSE k.events END,
      after_gap = k.minute < excluded.minute AND k.events > claimed_max
    RETURNING operator_id, platform_id, events, after_gap
  ), addressed AS MATERIALIZED (
    SELECT c.*, nth_uuid(p_delivery, row_number() OVER (ORDER BY c.event_id, c.platform_id)) AS delivery_id,
      CASE WHEN k.after_gap AND c.place = 1 THEN '{"truncated": true}' ELSE '{}' END::jsonb AS mark
    FROM (
      SELECT *, row_number() OVER (PARTITION BY claimant, platform_id ORDER BY event_id) AS place,
        count(*) OVER (PARTITION BY claimant, platform_id) AS places FROM candidates
    ) c LEFT JOIN claims k ON k.operator_id = c.claimant AND k.platform_id = c.platform_id
    WHERE c.claimant IS NULL OR k.events - c.places + c.place <= claimed_max
  ), events AS (
    INSERT INTO webhook_events (id, type, created_at, data)
    SELECT DISTINCT ON (event_id) event_id, type, created_at, data || mark FROM addressed
  ), deliveries AS (
    INSERT INTO webhook_deliveries (id, event_id, platform_id, type, status, next_attempt_at, created_at)
    SELECT delivery_id, event_id, platform_id, type, status, CASE status WHEN 'pending' THEN created_at END, created_at
    FROM addressed
  )
  SELECT jsonb_agg(jsonb_build_object('delivery_id', delivery_id, 'type', type, 'attempt', 1, 'publish_count', 0,
    'operator_id', operator_id, 'tier', tier, 'host', host))
  INTO publications FROM addressed WHERE status = 'pending';
  RETURN publications;
END $$;
