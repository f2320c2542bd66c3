-- The data of the profile and the full verification of an agent, as others see them.
--
-- p_reg: agent number; p_today, p_algorithm, p_days: see score_basis
-- Returns: one object with columns and counters of the agent, columns of its operator, `platform` (see agent_platform, null
-- without one), `withheld` (see public_agent), and `basis` (see score_basis); null if there is no such agent. Locks: none.
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
      s.response_ms, o.id AS operator_id, o.name AS operator_name, o.name_verified AS operator_name_verified,
      o.status AS operator_status, o.kyc_status AS operator_kyc_status, CASE WHEN a.platform_id IS NOT NULL
        THEN agent_platform(a.platform_id, a.platform_state, a.platform_since, a.platform_leaves_at) END AS platform,
      t.withheld, s.basis
    FROM agents a
    -- OFFSET 0: the executor prepares only the columns that are named here, not all of the table, and no hash table.
    CROSS JOIN LATERAL (
      SELECT o.id, o.status, o.kyc_status, n.name, n.name_verified
      FROM operators o CROSS JOIN LATERAL public_operator(o) n WHERE o.id = a.operator_id OFFSET 0
    ) o
    CROSS JOIN LATERAL public_texts(a, o.status) t
    CROSS JOIN LATERAL (
      SELECT s.tasks_completed, s.tasks_failed, s.incident_count, s.open_incident_count, s.last_active_at,
        s.response_count, s.response_ms, score_basis(s, a.deactivated_at, p_today, p_algorithm, p_days) AS basis
      FROM agent_stats s WHERE s.agent_id = a.id OFFSET 0
    ) s
    WHERE a.reg = p_reg
  ) v;
  RETURN found;
END $$;
