-- The membership of an agent on its platform, as others see it. A function, so that reads of agents without a platform do
-- not prepare it.
--
-- p_platform: platform id; the others: columns of the agent
-- Returns: one object (platform_name, platform_slug, platform_state, platform_since, platform_leaves_at, is_withheld: whether
-- the name is). Locks: none.
CREATE OR REPLACE FUNCTION agent_platform(
  p_platform uuid, p_state text, p_since timestamptz, p_leaves_at timestamptz
) RETURNS json LANGUAGE plpgsql STABLE AS $$
DECLARE
  found json;
BEGIN
  SELECT to_json(v) INTO found FROM (
    SELECT CASE WHEN w.is_withheld THEN p.slug ELSE p.name END AS platform_name, p.slug AS platform_slug,
      CASE p.status WHEN 'retired' THEN 'retired' ELSE p_state END AS platform_state,
      wire_time(p_since) AS platform_since, wire_time(p_leaves_at) AS platform_leaves_at,
      w.is_withheld
    FROM platforms p
    CROSS JOIN LATERAL (
      SELECT texts_withheld(k.status, p.texts_withheld_at) AS is_withheld
      FROM operators k WHERE k.id = p.operator_id OFFSET 0
    ) w
    WHERE p.id = p_platform
  ) v;
  RETURN found;
END $$;
