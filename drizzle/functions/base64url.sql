-- Bytes in base64url, without padding.
--
-- p_bytes: any
-- Returns: text of A-Z, a-z, 0-9, - and _. Locks: none.
CREATE OR REPLACE FUNCTION base64url(p_bytes bytea) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT rtrim(replace(replace(replace(encode(p_bytes, 'base64'), '+', '-'), '/', '_'), chr(10), ''), '=')
$$;
