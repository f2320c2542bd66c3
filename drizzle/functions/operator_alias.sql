-- The name that replaces the withheld one of an operator. The planner must not inline it into reads that rarely need it.
CREATE OR REPLACE FUNCTION operator_alias(p_operator uuid) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN 'Operator ' || right(p_operator::text, 6);
END $$;
