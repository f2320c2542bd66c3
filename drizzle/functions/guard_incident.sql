-- An incident is never removed and changes twice at most, whoever changes it: it is resolved once, and redacted once.
CREATE OR REPLACE FUNCTION guard_incident() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    IF OLD.status = 'open' AND NEW.status = 'resolved' AND NEW.resolved_at >= OLD.created_at
      AND NEW.resolution IS NOT NULL AND NOT (OLD.redacted AND NEW.resolution <> '')
      AND to_jsonb(NEW) - '{status,resolution,resolved_at}'::text[] = to_jsonb(OLD) - '{status,resolution,resolved_at}'::text[]
    THEN RETURN NEW; END IF;
    IF NOT OLD.redacted AND to_jsonb(NEW) = to_jsonb(redacted_incident(OLD))
      AND EXISTS (SELECT FROM redactions r WHERE r.event_id = OLD.event_id)
    THEN RETURN NEW; END IF;
  END IF;
  RAISE EXCEPTION 'an incident is only resolved or redacted, once: % is refused', TG_OP
    USING ERRCODE = 'insufficient_privilege';
END $$;
