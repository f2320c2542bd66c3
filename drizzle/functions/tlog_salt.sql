-- The salt of a leaf. One salt says nothing of another, nor of the seed.
--
-- p_seed: that of the leaf's batch, 32 bytes; p_part: f for its facts, m for the metadata; p_index: of the leaf
-- Returns: 16 bytes. Locks: none.
CREATE OR REPLACE FUNCTION tlog_salt(p_seed bytea, p_part text, p_index bigint) RETURNS bytea
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT substr(sha256(p_seed || convert_to(p_part, 'UTF8') || int8send(p_index)), 1, 16)
$$;
