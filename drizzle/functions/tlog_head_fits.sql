-- Rejects a head that is beyond the tree.
CREATE OR REPLACE FUNCTION tlog_head_fits() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF length(NEW.root) = 32 AND NEW.size <= (SELECT s.size FROM tlog_state s) THEN RETURN NEW; END IF;
  RAISE EXCEPTION 'a head of % leaves is beyond the tree', NEW.size USING ERRCODE = 'check_violation';
END $$;
