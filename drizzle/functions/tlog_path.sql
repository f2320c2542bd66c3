-- The hashes beside the way from a leaf up to the root of the tree.
--
-- p_index: of the leaf; p_size: leaves in the tree
-- Returns: from the sibling of the leaf upwards, 32 bytes each; null for a leaf that is not in it. Locks: none.
-- Source: RFC 6962, section 2.1.1
CREATE OR REPLACE FUNCTION tlog_path(p_index bigint, p_size bigint) RETURNS bytea[] LANGUAGE plpgsql STABLE AS $$
DECLARE
  low bigint := 0;
  leaves bigint := p_size;
  half bigint;
  path bytea[] := '{}';
BEGIN
  IF p_index < 0 OR p_index >= p_size THEN RETURN NULL; END IF;
  WHILE leaves > 1 LOOP
    half := 1;
    WHILE half * 2 < leaves LOOP half := half * 2; END LOOP;
    IF p_index - low < half THEN
      path := tlog_range(low + half, leaves - half) || path;
      leaves := half;
    ELSE
      path := tlog_range(low, half) || path;
      low := low + half;
      leaves := leaves - half;
    END IF;
  END LOOP;
  RETURN path;
END $$;
