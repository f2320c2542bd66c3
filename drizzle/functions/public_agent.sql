-- The texts of an agent and its operator as others see them. Every statement that shows them to others uses it.
--
-- p_agent, p_operator: their rows
-- Returns: one row; withheld names the columns with a substitute, and is null if there are none. The planner inlines it.
-- Locks: none.
CREATE OR REPLACE FUNCTION public_agent(p_agent agents, p_operator operators) RETURNS TABLE (
  name text, description text, specializations text[], homepage_url text, card_url text,
  operator_name text, operator_name_verified boolean, withheld text[]
) LANGUAGE sql STABLE AS $$
  SELECT t.name, t.description, t.specializations, t.homepage_url, t.card_url, o.name, o.name_verified, t.withheld
  FROM public_texts(p_agent, p_operator.status) t, public_operator(p_operator) o
$$;
