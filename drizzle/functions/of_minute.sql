-- The value of a counter per UTC minute: 0 if it was last counted in another minute.
--
-- p_minute: the minute that was last counted, null before the first; p_now: the current minute; p_count: the counter
-- Returns: the counter or 0. Locks: none. It must remain a single expression, so that it is inlined.
CREATE OR REPLACE FUNCTION of_minute(p_minute timestamptz, p_now timestamptz, p_count integer) RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT CASE WHEN p_minute = p_now THEN p_count ELSE 0 END $$
