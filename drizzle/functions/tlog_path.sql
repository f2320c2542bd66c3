-- The inclusion path of a leaf. For each level of tiles, two tiles are read, the one with the leaf and the one at the
-- right edge, and hashed together level by level; `edge` collects the incomplete subtree at the right edge.
--
-- p_index: index of the leaf; p_size: number of leaves in the tree
-- Returns: from the sibling of the leaf upward, 32 bytes each; null if the leaf is not in the tree. Locks: none.
-- Source: RFC 6962, section 2.1.1
CREATE OR REPLACE FUNCTION tlog_path(p_index bigint, p_size bigint) RETURNS bytea[] LANGUAGE plpgsql STABLE AS $$
DECLARE
  tile_height CONSTANT integer := 8;
  tile_width CONSTANT integer := 256;
  place bigint := p_index; -- index of the subtree with the leaf, among those of its height
  complete bigint := p_size; -- number of complete subtrees of this height
  hashes bytea; -- of the subtrees in the two tiles; the last one is at the right edge
  edge bytea; -- hash over the leaves after the complete subtrees; null for none
  last bytea;
  height integer := 0;
  path bytea[] := '{}';
BEGIN
  IF p_index < 0 OR p_index >= p_size THEN RETURN NULL; END IF;
  WHILE complete > 1 OR complete = 1 AND edge IS NOT NULL LOOP
    IF height % tile_height = 0 THEN
      SELECT coalesce(string_agg(substr(t.hashes, 1, (32 * least(tile_width, complete - tile_width * t.n))::integer),
        ''::bytea ORDER BY t.n), '') INTO hashes
      FROM tlog_tiles t
      WHERE t.level = height / tile_height AND t.n IN (place / tile_width, complete / tile_width);
    ELSE
      hashes := tlog_pairs(hashes);
    END IF;
    IF (place # 1) < complete THEN
      path := path || substr(hashes, (32 * ((place # 1) % (tile_width >> height % tile_height)) + 1)::integer, 32);
    ELSIF place + 1 = complete AND edge IS NOT NULL THEN
      path := path || edge;
    END IF;
    IF complete % 2 = 1 THEN
      last := substr(hashes, length(hashes) - 31);
      edge := coalesce(sha256('\x01'::bytea || last || edge), last);
    END IF;
    place := place / 2;
    complete := complete / 2;
    height := height + 1;
  END LOOP;
  RETURN path;
END $$;
