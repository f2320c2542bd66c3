-- Stores notifications and queues their mails, as far as the operators' settings and quotas allow (mail_allowed).
--
-- p_type: of all of them; p_notices: [{operator_id, title, body, reg, incident_id, critical}], null for none, without operators
-- that have switched off this type: reg may be null; only if the texts are those of an incident, incident_id, and whether it
-- is critical; p_first: a UUIDv7 of the time, from which the ids are made; p_at: the time of the request
-- Returns: how many were stored. A notification that exists already is left alone.
-- Locks: those of mail_allowed, in one order for all callers.
CREATE OR REPLACE FUNCTION notify_operators(p_type text, p_notices jsonb, p_first uuid, p_at timestamptz)
RETURNS integer LANGUAGE plpgsql AS $$
DECLARE stored integer;
BEGIN
  IF p_notices IS NULL THEN RETURN 0; END IF;
  WITH added AS (
    INSERT INTO notifications (id, operator_id, type, title, body, reg, incident_id, critical, created_at)
    SELECT nth_uuid(p_first, row_number() OVER (ORDER BY incident_id)), operator_id, p_type, title, body, reg, incident_id,
      coalesce(critical, false), p_at
    FROM jsonb_to_recordset(p_notices) AS n (operator_id uuid, title text, body text, reg text, incident_id uuid, critical boolean)
    ON CONFLICT DO NOTHING RETURNING id, operator_id, reg, critical
  ), mailed AS (
    INSERT INTO mails (id, operator_id, type, reg, critical, created_at)
    SELECT id, operator_id, p_type, reg, critical, p_at
    -- OFFSET 0 keeps the planner from calling the function before the rows are sorted and the mails before them inserted.
    FROM (SELECT * FROM added ORDER BY hashtext(operator_id::text), id OFFSET 0) ordered
    WHERE mail_allowed(operator_id, p_type, reg, critical, p_at)
  ) SELECT count(*) INTO stored FROM added;
  RETURN stored;
END $$;
