-- The hashes of the pairs of adjacent hashes; an unpaired hash at the end is ignored.
--
-- p_hashes: 32 bytes each
-- Returns: 32 bytes each. Locks: none. Source: RFC 6962, section 2.1
CREATE OR REPLACE FUNCTION tlog_pairs(p_hashes bytea) RETURNS bytea LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  pairs bytea := '';
  many integer := length(p_hashes) / 64;
BEGIN
  -- A loop of simple expressions, four hashes each: an aggregate needs a query and takes three times as long.
  FOR i IN 0 .. many / 4 - 1 LOOP
    pairs := pairs || sha256('\x01'::bytea || substr(p_hashes, 256 * i + 1, 64))
      || sha256('\x01'::bytea || substr(p_hashes, 256 * i + 65, 64))
      || sha256('\x01'::bytea || substr(p_hashes, 256 * i + 129, 64))
      || sha256('\x01'::bytea || substr(p_hashes, 256 * i + 193, 64));
  END LOOP;
  FOR i IN many / 4 * 4 .. many - 1 LOOP
    pairs := pairs || sha256('\x01'::bytea || substr(p_hashes, 64 * i + 1, 64));
  END LOOP;
  RETURN pairs;
END $$;
