-- The texts of an agent as others see them, without those of its operator.
--
-- p_agent: its row; p_status: status of its operator
-- Returns: see public_agent. The planner inlines it. Locks: none.
CREATE OR REPLACE FUNCTION public_texts(p_agent agents, p_status text) RETURNS TABLE (
  name text, description text, specializations text[], homepage_url text, card_url text, withheld text[]
) LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN w.is_withheld THEN p_agent.reg ELSE p_agent.name END,
    CASE WHEN w.is_withheld THEN '' ELSE p_agent.description END,
    CASE WHEN w.is_withheld THEN '{}' ELSE p_agent.specializations END,
    CASE WHEN NOT w.is_withheld THEN p_agent.homepage_url END,
    CASE WHEN NOT w.is_withheld THEN p_agent.card_url END,
    CASE WHEN p_status = 'suspended'
        THEN '{name,description,specializations,homepage_url,card_url,operator_name,operator_name_verified}'::text[]
      WHEN w.is_withheld THEN '{name,description,specializations,homepage_url,card_url}'::text[] END
  FROM (SELECT texts_withheld(p_status, p_agent.texts_withheld_at) AS is_withheld) w
$$;
