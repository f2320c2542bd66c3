-- The basis of the score of an agent by its number. As a function, its plan is cached: planning the look-up each time took
-- a quarter of the work.
--
-- p_reg: agent number; p_today, p_algorithm, p_days: see score_basis
-- Returns: see score_basis; null if there is no such agent. Locks: none.
CREATE OR REPLACE FUNCTION agent_basis(p_reg text, p_today date, p_algorithm text, p_days integer)
RETURNS json LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (
    SELECT score_basis(s, a.deactivated_at, p_today, p_algorithm, p_days)
    FROM agents a JOIN agent_stats s ON s.agent_id = a.id WHERE a.reg = p_reg
  );
END $$;
