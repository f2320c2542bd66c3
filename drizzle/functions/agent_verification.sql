-- The data of the quick verification of an agent. It takes a third less work than agent_profile, on the busiest route.
--
-- p_reg: agent number; p_today, p_algorithm: see score_basis
-- Returns: one object with columns of the agent and its operator, and `basis` (see score_basis); null if there is no
-- such agent. Locks: none.
CREATE OR REPLACE FUNCTION agent_verification(p_reg text, p_today date, p_algorithm text) RETURNS json LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (
    SELECT json_build_object('reg', a.reg, 'name', a.name, 'class', a.class, 'status', a.status,
      'ownership_status', a.ownership_status, 'domain', a.domain, 'operator_id', o.id, 'operator_name', o.name,
      'operator_name_verified', o.name_verified_at IS NOT NULL, 'operator_status', o.status,
      'operator_kyc_status', o.kyc_status,
      'basis', score_basis(a.id, a.deactivated_at, p_today, p_algorithm))
    FROM agents a
    JOIN operators o ON o.id = a.operator_id
    WHERE a.reg = p_reg
  );
END $$;
