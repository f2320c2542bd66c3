-- What the quick verification states of an agent: a third less work than agent_profile, on the route that is called most.
--
-- p_reg: its number; p_today, p_algorithm: as of score_basis
-- Returns: one object with the agent's columns, those of its operator, and `basis` (what score_basis gives); null when
-- there is no such agent. Locks: none.
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
