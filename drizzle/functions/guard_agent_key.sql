-- A key of an agent is never removed and changes once at most, whoever changes it: it is revoked.
CREATE OR REPLACE FUNCTION guard_agent_key() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    IF OLD.revoked_at IS NULL AND NEW.revoked_at >= OLD.added_at
      AND to_jsonb(NEW) - '{revoked_at,reason}'::text[] = to_jsonb(OLD) - '{revoked_at,reason}'::text[]
    THEN RETURN NEW; END IF;
  END IF;
  RAISE EXCEPTION 'a key of an agent is only revoked, once: % is refused', TG_OP USING ERRCODE = 'insufficient_privilege';
END $$;
