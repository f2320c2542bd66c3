-- The value of a counter per UTC day: 0 if it was last counted on an earlier day. After a clock was set back, it is
-- kept.
--
-- p_day: the day that was last counted, null before the first; p_today: the current day; p_count: the counter
-- Returns: the counter or 0. Locks: none. It must remain a single expression, so that it is inlined.
CREATE OR REPLACE FUNCTION of_today(p_day date, p_today date, p_count bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT CASE WHEN p_day >= p_today THEN p_count ELSE 0 END $$
