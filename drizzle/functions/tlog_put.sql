-- Appends leaves to the tree: writes bundles, tiles, and level by level the roots of tiles that became full.
--
-- p_old: the size of the tree; p_leaves: bytes of the leaves in order; p_seed: of the batch, 32 bytes; p_at: the time
-- Returns: the new size. Locks: none; the caller has locked the row of tlog_state.
CREATE OR REPLACE FUNCTION tlog_put(p_old bigint, p_leaves bytea[], p_seed bytea, p_at timestamptz) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
  tile_width CONSTANT integer := 256;
  leaf_bytes_max CONSTANT integer := 65535; -- the length is stored in two bytes
  new_size bigint := p_old + coalesce(cardinality(p_leaves), 0);
  low bigint := p_old;
  high bigint := new_size;
  lvl smallint := 0;
BEGIN
  IF new_size = p_old THEN RETURN p_old; END IF;
  IF length(p_seed) <> 32 OR EXISTS (SELECT FROM unnest(p_leaves) AS u (bytes)
    WHERE u.bytes IS NULL OR length(u.bytes) > leaf_bytes_max) THEN
    RAISE EXCEPTION 'a leaf has at most % bytes, a seed 32', leaf_bytes_max USING ERRCODE = 'program_limit_exceeded';
  END IF;
  WITH leaf AS MATERIALIZED (
    SELECT p_old + u.nth - 1 AS i, u.bytes FROM unnest(p_leaves) WITH ORDINALITY AS u (bytes, nth)
  ), tile AS (
    INSERT INTO tlog_tiles AS t (level, n, hashes)
    SELECT 0, i / tile_width, string_agg(sha256('\x00'::bytea || bytes), ''::bytea ORDER BY i)
    FROM leaf GROUP BY i / tile_width
    ON CONFLICT (level, n) DO UPDATE SET hashes = t.hashes || excluded.hashes
  )
  INSERT INTO tlog_bundles AS b (n, entries)
  SELECT i / tile_width, string_agg(substr(int4send(length(bytes)), 3) || bytes, ''::bytea ORDER BY i)
  FROM leaf GROUP BY i / tile_width
  ON CONFLICT (n) DO UPDATE SET entries = b.entries || excluded.entries;
  LOOP
    low := low / tile_width;
    high := high / tile_width;
    lvl := lvl + 1;
    EXIT WHEN low = high;
    INSERT INTO tlog_tiles AS t (level, n, hashes)
    SELECT lvl, f.n / tile_width, string_agg(tlog_fold(f.hashes), ''::bytea ORDER BY f.n) FROM tlog_tiles f
    WHERE f.level = lvl - 1 AND f.n >= low AND f.n < high GROUP BY f.n / tile_width
    ON CONFLICT (level, n) DO UPDATE SET hashes = t.hashes || excluded.hashes;
  END LOOP;
  INSERT INTO tlog_batches (first_index, leaves, seed, sequenced_at) VALUES (p_old, new_size - p_old, p_seed, p_at);
  UPDATE tlog_state SET size = new_size;
  RETURN new_size;
END $$;
