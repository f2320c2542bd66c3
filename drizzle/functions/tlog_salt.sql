-- Derives a salt of a leaf. A salt reveals nothing about the seed or other salts.
--
-- p_seed: seed of the leaf's batch, 32 bytes; p_part: f for the facts, m for the metadata or texts; p_index: index of the leaf
-- Returns: 16 bytes. Locks: none.
CREATE OR REPLACE FUNCTION tlog_salt(p_seed bytea, p_part text, p_index bigint) RETURNS bytea
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT substr(sha256(p_seed || convert_to(p_part, 'UTF8') || int8send(p_index)), 1, 16)
$$;
