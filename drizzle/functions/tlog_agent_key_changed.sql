-- Queues a key of an agent when it is added and when it is revoked, in clear, with the rights of the owner.
CREATE OR REPLACE FUNCTION tlog_agent_key_changed() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE is_revoked CONSTANT boolean := NEW.revoked_at IS NOT NULL;
BEGIN
  INSERT INTO tlog_outbox (kind, subject, rev, agent_id, facts)
  VALUES ('agent_key', NEW.kid, 1 + is_revoked::integer, NEW.agent_id, format(
    '{"v":1,"kind":"agent_key","reg":"%s","kid":"%s","rev":%s,"key":{"crv":"Ed25519","kty":"OKP","x":"%s"},"state":"%s","reason":%s,"at":"%s","until":%s}',
    NEW.reg, NEW.kid, 1 + is_revoked::integer, NEW.x, CASE WHEN is_revoked THEN 'revoked' ELSE 'added' END,
    coalesce(to_json(NEW.reason)::text, 'null'), wire_time(coalesce(NEW.revoked_at, NEW.added_at)),
    coalesce(to_json(wire_time(NEW.expires_at))::text, 'null')));
  RETURN NULL;
END $$;
