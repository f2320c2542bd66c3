-- The leaves of a bundle.
--
-- p_bundle: number of the bundle
-- Returns: a row for each leaf: its index in the log, and its bytes. Locks: none.
CREATE OR REPLACE FUNCTION tlog_leaves(p_bundle bigint) RETURNS TABLE (index bigint, leaf bytea)
LANGUAGE plpgsql STABLE ROWS 256 AS $$
DECLARE
  entries bytea;
  at integer := 0;
  bytes integer;
BEGIN
  -- The concatenation decompresses the value once, instead of at each access.
  SELECT b.entries || ''::bytea INTO entries FROM tlog_bundles b WHERE b.n = p_bundle;
  index := p_bundle * 256;
  WHILE at < length(entries) LOOP
    bytes := get_byte(entries, at) * 256 + get_byte(entries, at + 1);
    leaf := substr(entries, at + 3, bytes);
    RETURN NEXT;
    index := index + 1;
    at := at + 2 + bytes;
  END LOOP;
END $$;
