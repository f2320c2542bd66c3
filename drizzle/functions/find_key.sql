-- Finds an API key that is neither revoked nor expired, with the relevant columns of its operator.
--
-- p_key_prefix: the public part of the key, "reg_live_" and its id; p_at: the time of the request
-- Returns: one object (key_id, operator_id, platform_id, operator_status, tier, salt, secret_hash, permissions,
-- rate_limit_per_minute as stored, which may exceed what the tier allows now); null if there is no such key. Locks:
-- none.
CREATE OR REPLACE FUNCTION find_key(p_key_prefix text, p_at timestamptz) RETURNS json LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (
    SELECT json_build_object('key_id', k.id, 'operator_id', k.operator_id, 'platform_id', k.platform_id,
      'operator_status', o.status, 'tier', o.tier, 'salt', k.salt, 'secret_hash', k.secret_hash, 'permissions', k.permissions,
      'rate_limit_per_minute', k.rate_limit_per_minute)
    FROM api_keys k JOIN operators o ON o.id = k.operator_id
    WHERE k.key_prefix = p_key_prefix AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > p_at)
  );
END $$;
