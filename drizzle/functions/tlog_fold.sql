-- The root over adjacent hashes of a level, whose number is a power of 2.
--
-- p_hashes: 32 bytes each
-- Returns: 32 bytes. Locks: none. Source: RFC 6962, section 2.1
CREATE OR REPLACE FUNCTION tlog_fold(p_hashes bytea) RETURNS bytea LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE level bytea := p_hashes;
BEGIN
  WHILE length(level) > 32 LOOP
    level := tlog_pairs(level);
  END LOOP;
  RETURN level;
END $$;
