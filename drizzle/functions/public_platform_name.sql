-- The name of a platform as others see it.
--
-- p_platform: its row; p_operator: the row of its operator
-- Returns: the name; its slug while the name is withheld; null without a platform. Locks: none.
CREATE OR REPLACE FUNCTION public_platform_name(p_platform platforms, p_operator operators) RETURNS text
LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN texts_withheld(p_operator.status, p_platform.texts_withheld_at) THEN p_platform.slug ELSE p_platform.name END
$$;
