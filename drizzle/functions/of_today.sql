-- A counter of a UTC day as of another one: what it says when its day is that one, or when the clock went back, else 0.
--
-- p_day: the day that was counted last, null before the first; p_today: the day of the question; p_count: the counter
-- Returns: the counter or 0. Locks: none. Its callers have it inlined: it must stay one expression.
CREATE OR REPLACE FUNCTION of_today(p_day date, p_today date, p_count bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT CASE WHEN p_day >= p_today THEN p_count ELSE 0 END $$
