-- Rolls back the transaction unless a condition is true: a requirement of a write (src/db/transaction.ts).
--
-- p_code: the message of the error, by which the Worker knows the requirement. Locks: none.
CREATE OR REPLACE FUNCTION require(p_condition boolean, p_code text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF p_condition IS NOT TRUE THEN RAISE EXCEPTION '%', p_code USING ERRCODE = 'RQ001'; END IF;
END $$;
