-- A counter of a UTC minute as of another one: what it says when its minute is that one, else 0.
--
-- p_minute: the minute that was counted last, null before the first; p_now: the minute of the question; p_count: the counter
-- Returns: the counter or 0. Locks: none. Its callers have it inlined: it must stay one expression.
CREATE OR REPLACE FUNCTION of_minute(p_minute timestamptz, p_now timestamptz, p_count integer) RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT CASE WHEN p_minute = p_now THEN p_count ELSE 0 END $$
