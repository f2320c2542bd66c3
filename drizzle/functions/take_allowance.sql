-- Takes one of what an operator may do in a period.
--
-- p_name: of the allowance; p_since: begin of the period, a UTC day or minute; p_most: the allowance
-- Returns: whether one was left. A period that is over, by a clock that goes back, counts as the current one.
-- Locks: the row of the allowance. Callers have locked that of the operator.
CREATE OR REPLACE FUNCTION take_allowance(p_operator uuid, p_name text, p_since timestamptz, p_most integer)
RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO allowances AS a (operator_id, name, since, taken) VALUES (p_operator, p_name, p_since, 1)
  ON CONFLICT (operator_id, name) DO UPDATE SET since = greatest(a.since, excluded.since),
    taken = CASE WHEN a.since < excluded.since THEN 1 ELSE a.taken + 1 END
  WHERE a.since < excluded.since OR a.taken < p_most;
  RETURN FOUND;
END $$;
