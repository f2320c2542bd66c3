-- Whether an operator is suspended. A function, so that statements look only for those operators that a row needs.
--
-- p_operator: operator id
-- Returns: null if there is none. Locks: none.
CREATE OR REPLACE FUNCTION is_suspended(p_operator uuid) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (SELECT o.status = 'suspended' FROM operators o WHERE o.id = p_operator);
END $$;
