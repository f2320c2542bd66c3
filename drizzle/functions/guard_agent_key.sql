-- A key of an agent is never removed and changes once at most, whoever changes it: it is revoked. When its operator was
-- reminded of its end is not part of it.
CREATE OR REPLACE FUNCTION guard_agent_key() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE changing CONSTANT text[] := '{revoked_at,reason,reminded_at}';
BEGIN
  IF TG_OP = 'UPDATE' THEN
    IF to_jsonb(NEW) - changing = to_jsonb(OLD) - changing
      AND ((OLD.revoked_at IS NULL AND NEW.revoked_at >= OLD.added_at)
        OR (NEW.revoked_at, NEW.reason) IS NOT DISTINCT FROM (OLD.revoked_at, OLD.reason))
    THEN RETURN NEW; END IF;
  END IF;
  RAISE EXCEPTION 'a key of an agent is only revoked, once: % is refused', TG_OP USING ERRCODE = 'insufficient_privilege';
END $$;
