-- Whether one more notification of an operator is mailed: not of a type that it has unsubscribed from, nor to an address
-- that was rejected; one of each type and agent an hour, and of all but the weekly digest, which tells of the rest, 20 a
-- UTC day.
--
-- p_operator: its id; p_type, p_reg: of the notification, p_reg null for none; p_at: the time of the request
-- Returns: whether. True is a promise: the statement that asks inserts the mail before it asks for the next one.
-- Locks: an advisory lock of the operator until the end of the transaction, before the answer is true: of many writers
-- each counts what the one before has mailed. Where the answer is no in any case, none: a flood waits for nobody.
CREATE OR REPLACE FUNCTION mail_allowed(p_operator uuid, p_type text, p_reg text, p_at timestamptz) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
  per_day CONSTANT integer := 20;
  writers CONSTANT integer := 2; -- the class of these advisory locks; append_events has 1
  today timestamptz := date_trunc('day', p_at AT TIME ZONE 'utc') AT TIME ZONE 'utc';
  an_hour_ago timestamptz := p_at - interval '1 hour';
  is_free boolean;
BEGIN
  IF NOT EXISTS (SELECT FROM operators o WHERE o.id = p_operator AND o.status = 'active' AND o.mail_refused_at IS NULL
    AND p_type <> ALL (o.mail_unsubscribed)) THEN RETURN false; END IF;
  FOR look IN 1..2 LOOP
    IF look = 2 THEN PERFORM pg_advisory_xact_lock(writers, hashtext(p_operator::text)); END IF;
    SELECT count(*) FILTER (WHERE m.type = p_type AND m.reg IS NOT DISTINCT FROM p_reg AND m.created_at > an_hour_ago) = 0
      AND (p_type = 'weekly_digest' OR count(*) FILTER (WHERE m.created_at >= today) < per_day)
    INTO is_free FROM mails m WHERE m.operator_id = p_operator AND m.created_at >= least(today, an_hour_ago);
    IF NOT is_free THEN RETURN false; END IF;
  END LOOP;
  RETURN true;
END $$;
