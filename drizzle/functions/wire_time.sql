-- Formats a time as the API shows it.
--
-- p_moment: any time, or null
-- Returns: ISO 8601 in UTC with milliseconds, "2026-11-21T12:00:00.000Z"; null for null. Locks: none.
CREATE OR REPLACE FUNCTION wire_time(p_moment timestamptz) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT to_char(p_moment AT TIME ZONE 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;
