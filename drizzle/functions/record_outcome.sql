-- Records the outcome of a claimed attempt, updates its delivery, and counts the outcome for the webhook of its platform. A
-- webhook that has failed too often is disabled, with an audit row and a notification.
--
-- p_attempt: one object: delivery_id, number; duration_ms, response_status, error, response_excerpt; status, due: of the
-- delivery, and when its next attempt is due, null for none; webhook_url: the URL of this attempt: the outcome does not count
-- if the platform has another one by now; counts: as succeeded, retrying, failed, or gone; null for nothing; counted_on: the
-- day on which the attempt was counted toward the operator's limit of attempts to URLs that have never returned 2xx, null if
-- it was not
-- p_limits: one object: silent_max: attempts without any 2xx that disable a webhook; failures_max, failing_hours: failed
-- deliveries in a row that disable it, if the first one is that old; p_id: a UUIDv7 of the time; p_at: the time of the request
-- Returns: whether this call has recorded the outcome; false if another call has done it before
-- Locks: the delivery, the operator, the platform, in this order. Its lock serializes concurrent outcomes, so that exactly one
-- disables the webhook.
CREATE OR REPLACE FUNCTION record_outcome(p_attempt jsonb, p_limits jsonb, p_id uuid, p_at timestamptz)
RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  made record;
  limits record;
  delivery record;
  hook record;
  is_final CONSTANT boolean := p_attempt ->> 'counts' IN ('failed', 'gone');
BEGIN
  SELECT * INTO made FROM jsonb_to_record(p_attempt) AS a (delivery_id uuid, number integer, duration_ms integer,
    response_status smallint, error text, response_excerpt text, status text, due timestamptz, webhook_url text, counts text,
    counted_on date);
  SELECT * INTO limits FROM jsonb_to_record(p_limits) AS l (silent_max integer, failures_max integer, failing_hours integer);

  UPDATE webhook_deliveries d SET status = made.status, lease_until = NULL, next_attempt_at = made.due, published_at = NULL,
    publish_count = 0, delivered_at = CASE made.status WHEN 'delivered' THEN p_at END
  WHERE d.id = made.delivery_id AND d.status = 'pending' AND d.attempts = made.number AND d.lease_until IS NOT NULL
  RETURNING d.event_id, d.platform_id INTO delivery;
  IF NOT FOUND THEN RETURN false; END IF;

  -- No excerpt is stored for a redacted event: a receiver can echo the text that was redacted in the meantime.
  UPDATE webhook_attempts a SET duration_ms = made.duration_ms, response_status = made.response_status, error = made.error,
    response_excerpt = CASE WHEN NOT (SELECT e.data ? 'redacted' FROM webhook_events e WHERE e.id = delivery.event_id)
      THEN made.response_excerpt END
  WHERE a.delivery_id = made.delivery_id AND a.number = made.number;
  IF made.counts IS NULL THEN RETURN true; END IF;

  IF made.counts = 'succeeded' THEN
    IF made.counted_on IS NOT NULL THEN
      UPDATE operators o SET unresponsive_attempts = greatest(0, o.unresponsive_attempts - 1)
      WHERE o.id = (SELECT p.operator_id FROM platforms p WHERE p.id = delivery.platform_id)
        AND o.unresponsive_day = made.counted_on;
    END IF;
    -- The last condition avoids an update if there are no failures and the time is recent.
    UPDATE platforms p SET consecutive_failures = 0, failing_since = NULL, last_response_at = p_at,
      attempts_without_response = 0
    WHERE p.id = delivery.platform_id AND p.webhook_url = made.webhook_url AND (p.consecutive_failures > 0
      OR p.last_response_at IS NULL OR p.last_response_at <= p_at - interval '1 minute');
    RETURN true;
  END IF;

  -- A failed attempt that will be retried is counted only while the URL has never returned 2xx.
  UPDATE platforms p SET consecutive_failures = p.consecutive_failures + is_final::integer,
    failing_since = CASE WHEN is_final THEN coalesce(p.failing_since, p_at) ELSE p.failing_since END,
    attempts_without_response = CASE WHEN p.last_response_at IS NULL THEN p.attempts_without_response + 1 ELSE 0 END,
    webhook_status = CASE WHEN made.counts = 'gone'
      OR p.last_response_at IS NULL AND p.attempts_without_response + 1 >= limits.silent_max
      OR is_final AND p.consecutive_failures + 1 >= limits.failures_max
        AND coalesce(p.failing_since, p_at) <= p_at - make_interval(hours => limits.failing_hours)
      THEN 'disabled' ELSE 'enabled' END
  WHERE p.id = delivery.platform_id AND p.webhook_status = 'enabled' AND p.webhook_url = made.webhook_url
    AND (is_final OR p.last_response_at IS NULL)
  RETURNING p.* INTO hook;
  IF NOT FOUND OR hook.webhook_status = 'enabled' THEN RETURN true; END IF;

  INSERT INTO audit_log (id, operator_id, action, target, created_at)
  VALUES (p_id, hook.operator_id, 'platform.webhook_disabled', hook.slug, p_at);
  PERFORM notify_operators('webhook_disabled', jsonb_build_array(jsonb_build_object('operator_id', hook.operator_id,
    'title', 'Webhook of ' || hook.name || ' disabled',
    'body', CASE WHEN made.counts = 'gone' THEN 'The receiver returned status 410.'
      WHEN hook.attempts_without_response >= limits.silent_max
      THEN 'None of the last ' || hook.attempts_without_response || ' attempts returned status 2xx.'
      ELSE hook.consecutive_failures || ' deliveries in a row have failed since '
        || to_char(hook.failing_since AT TIME ZONE 'utc', 'YYYY-MM-DD HH24:MI') || ' UTC.' END
      || ' Webhook events are skipped until you enable the webhook again (PATCH /platforms/' || hook.slug
      || '); then you can recover them.')), p_id, p_at);
  RETURN true;
END $$;
