-- The hash over leaves of the tree: a complete subtree comes out of one tile, a right edge out of several.
--
-- p_from: the first leaf; p_leaves: how many
-- Returns: 32 bytes. Locks: none. Source: RFC 6962, section 2.1
CREATE OR REPLACE FUNCTION tlog_range(p_from bigint, p_leaves bigint) RETURNS bytea LANGUAGE plpgsql STABLE AS $$
DECLARE
  half bigint := 1;
  unit bigint := 1;
  lvl smallint := 0;
  tile bytea;
BEGIN
  WHILE half * 2 < p_leaves LOOP half := half * 2; END LOOP; -- the largest power of two below
  IF p_leaves > 1 AND half * 2 <> p_leaves THEN
    RETURN sha256('\x01'::bytea || tlog_range(p_from, half) || tlog_range(p_from + half, p_leaves - half));
  END IF;
  WHILE unit * 256 <= p_leaves LOOP
    unit := unit * 256;
    lvl := lvl + 1;
  END LOOP;
  SELECT substr(hashes, (32 * (p_from / unit % 256) + 1)::integer, (32 * p_leaves / unit)::integer) INTO STRICT tile
  FROM tlog_tiles WHERE level = lvl AND n = p_from / unit / 256;
  RETURN tlog_fold(tile);
END $$;
