-- The data of the profile and the full verification of an agent, as others see them.
--
-- p_reg: agent number; p_today, p_algorithm, p_days: see score_basis
-- Returns: one object with columns and counters of the agent, columns of its operator and platform, `withheld` (see
-- public_agent), and `basis` (see score_basis); null if there is no such agent. Locks: none.
CREATE OR REPLACE FUNCTION agent_profile(p_reg text, p_today date, p_algorithm text, p_days integer)
RETURNS json LANGUAGE plpgsql STABLE AS $$
DECLARE
  found json;
BEGIN
  SELECT to_json(v) INTO found FROM (
    SELECT a.reg, t.name, t.description, a.class, wire_time(a.name_changed_at) AS name_changed_at, a.status,
      a.ownership_status, wire_time(a.ownership_verified_at) AS ownership_verified_at, a.domain, t.homepage_url,
      t.card_url, t.specializations, wire_time(a.registered_at) AS registered_at, s.tasks_completed, s.tasks_failed,
      s.incident_count, s.open_incident_count, wire_time(s.last_active_at) AS last_active_at, s.response_count,
      s.response_ms, o.id AS operator_id, t.operator_name, t.operator_name_verified, o.status AS operator_status,
      o.kyc_status AS operator_kyc_status, CASE WHEN p.is_withheld THEN p.slug ELSE p.name END AS platform_name,
      p.slug AS platform_slug, CASE p.status WHEN 'retired' THEN 'retired' ELSE a.platform_state END AS platform_state,
      wire_time(a.platform_since) AS platform_since, wire_time(a.platform_leaves_at) AS platform_leaves_at,
      CASE WHEN p.is_withheld THEN t.withheld || '{platform_name}'::text[] ELSE t.withheld END AS withheld, s.basis
    FROM agents a
    JOIN operators o ON o.id = a.operator_id
    CROSS JOIN LATERAL public_agent(a, o) t
    -- OFFSET 0: the executor prepares only the columns that are named here, not all of the table.
    CROSS JOIN LATERAL (
      SELECT s.tasks_completed, s.tasks_failed, s.incident_count, s.open_incident_count, s.last_active_at,
        s.response_count, s.response_ms, current_basis(s, a.deactivated_at, p_today, p_algorithm, p_days) AS basis
      FROM agent_stats s WHERE s.agent_id = a.id OFFSET 0
    ) s
    LEFT JOIN LATERAL (
      SELECT p.name, p.slug, p.status, p.texts_withheld_at IS NOT NULL OR is_suspended(p.operator_id) AS is_withheld
      FROM platforms p WHERE p.id = a.platform_id OFFSET 0
    ) p ON true
    WHERE a.reg = p_reg
  ) v;
  RETURN found;
END $$;
