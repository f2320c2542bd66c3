-- The root over neighbouring hashes of a level, as many as a power of 2.
--
-- p_hashes: 32 bytes each
-- Returns: 32 bytes. Locks: none. Source: RFC 6962, section 2.1
CREATE OR REPLACE FUNCTION tlog_fold(p_hashes bytea) RETURNS bytea LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE level bytea := p_hashes;
BEGIN
  WHILE length(level) > 32 LOOP
    SELECT string_agg(sha256('\x01'::bytea || substr(level, 64 * i + 1, 64)), ''::bytea ORDER BY i) INTO level
    FROM generate_series(0, length(level) / 64 - 1) i;
  END LOOP;
  RETURN level;
END $$;
