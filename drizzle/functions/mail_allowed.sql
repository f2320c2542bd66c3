-- Whether a notification may also be sent by mail: not if the operator unsubscribed from its type, is suspended, or its
-- address was rejected. Otherwise, per UTC day, 20 alerts about critical incidents, 20 other alerts, and 20 of other types,
-- besides the weekly digest, which summarizes the others. Half of them at most is about agents of one platform or, except
-- for alerts, of one type, so that nobody can use them up. Per hour, at most one alert about an agent, and one of each other
-- type (of each type, without an agent). One about a critical incident waits only for another one: however much is reported
-- about an agent, it is not displaced by lesser ones. One about a key of an agent does not wait, and others do not use up its
-- limit: a thief would act right after a rotation, or cause others first.
--
-- p_operator: operator id; p_type, p_reg, p_critical: of the notification, p_reg null for none; p_at: the time of the
-- request
-- Returns: true or false. After true, the calling statement must insert the mail before it calls this function again.
-- Locks: before it returns true, an advisory lock of the operator until the end of the transaction, so that concurrent
-- requests count each other's mails. No lock if the result is false anyway, so that a flood waits for nothing.
CREATE OR REPLACE FUNCTION mail_allowed(p_operator uuid, p_type text, p_reg text, p_critical boolean, p_at timestamptz)
RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  per_day CONSTANT integer := 20;
  alerts CONSTANT text[] := '{incident_alert,trust_alert}'; -- whoever reports on an agent can cause them
  is_alert CONSTANT boolean := p_type = ANY (alerts);
  about CONSTANT uuid := (SELECT a.platform_id FROM agents a WHERE is_alert AND a.reg = p_reg);
  writers CONSTANT integer := 2; -- the class of these advisory locks
  today timestamptz := date_trunc('day', p_at AT TIME ZONE 'utc') AT TIME ZONE 'utc';
  an_hour_ago timestamptz := p_at - interval '1 hour';
  is_free boolean;
BEGIN
  IF NOT EXISTS (SELECT FROM operators o WHERE o.id = p_operator AND o.status = 'active' AND o.mail_refused_at IS NULL
    AND p_type <> ALL (o.mail_opt_outs)) THEN RETURN false; END IF;
  FOR pass IN 1..2 LOOP -- first without the lock, then with it
    IF pass = 2 THEN PERFORM pg_advisory_xact_lock(writers, hashtext(p_operator::text)); END IF;
    SELECT count(*) FILTER (WHERE m.created_at > an_hour_ago AND (m.critical OR NOT p_critical)
        AND p_type <> 'agent_key' AND m.reg IS NOT DISTINCT FROM p_reg AND (is_alert AND p_reg IS NOT NULL OR m.type = p_type)) = 0
      AND (p_type = 'weekly_digest' OR (p_type = 'agent_key' OR count(*) FILTER (WHERE counts) < per_day)
        AND count(*) FILTER (WHERE counts AND CASE WHEN is_alert THEN a.platform_id = about ELSE m.type = p_type END)
          < per_day / 2)
    INTO is_free
    FROM mails m LEFT JOIN agents a ON is_alert AND a.reg = m.reg,
      LATERAL (SELECT m.created_at >= today AND m.critical = p_critical AND m.type <> 'weekly_digest' AS counts) c
    WHERE m.operator_id = p_operator AND m.created_at >= least(today, an_hour_ago) AND (m.type = ANY (alerts)) = is_alert;
    IF NOT is_free THEN RETURN false; END IF;
  END LOOP;
  RETURN true;
END $$;
