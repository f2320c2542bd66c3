-- The commitment of a leaf to a text.
--
-- p_salt: 16 bytes; p_text: the text, which is published with the salt to open the leaf
-- Returns: SHA-256 of salt and text, 43 characters of base64url. Locks: none.
CREATE OR REPLACE FUNCTION tlog_commit(p_salt bytea, p_text text) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT base64url(sha256(p_salt || convert_to(p_text, 'UTF8')))
$$;
