-- The texts of an agent and its operator as others see them. Every statement that shows them to others uses it.
--
-- p_agent, p_operator: their rows
-- Returns: one row; withheld names the columns with a substitute, and is null if there are none. The planner inlines it.
-- Locks: none.
CREATE OR REPLACE FUNCTION public_agent(p_agent agents, p_operator operators) RETURNS TABLE (
  name text, description text, specializations text[], homepage_url text, card_url text,
  operator_name text, operator_name_verified boolean, withheld text[]
) LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN w.is_withheld THEN p_agent.reg ELSE p_agent.name END,
    CASE WHEN w.is_withheld THEN '' ELSE p_agent.description END,
    CASE WHEN w.is_withheld THEN '{}' ELSE p_agent.specializations END,
    CASE WHEN NOT w.is_withheld THEN p_agent.homepage_url END,
    CASE WHEN NOT w.is_withheld THEN p_agent.card_url END,
    o.name, o.name_verified,
    CASE WHEN p_operator.status = 'suspended'
        THEN '{name,description,specializations,homepage_url,card_url,operator_name,operator_name_verified}'::text[]
      WHEN w.is_withheld THEN '{name,description,specializations,homepage_url,card_url}'::text[] END
  FROM (SELECT texts_withheld(p_operator.status, p_agent.texts_withheld_at) AS is_withheld) w, public_operator(p_operator) o
$$;
