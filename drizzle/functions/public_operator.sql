-- The name of an operator as others see it.
--
-- p_operator: its row
-- Returns: one row; withheld names the columns with a substitute, and is null if there are none. The planner inlines it.
-- Locks: none.
CREATE OR REPLACE FUNCTION public_operator(p_operator operators)
RETURNS TABLE (name text, name_verified boolean, withheld text[]) LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN w.is_withheld THEN operator_alias(p_operator.id) ELSE p_operator.name END,
    p_operator.name_verified_at IS NOT NULL AND NOT w.is_withheld,
    CASE WHEN w.is_withheld THEN '{name,name_verified}'::text[] END
  FROM (SELECT texts_withheld(p_operator.status, NULL) AS is_withheld) w
$$;
