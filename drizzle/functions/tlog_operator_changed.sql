-- Queues a leaf when an identity check of an operator succeeds (verified) or expires (expired), and when the operator is
-- suspended (suspended) or no longer (reinstated), with the rights of the owner.
CREATE OR REPLACE FUNCTION tlog_operator_changed() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF NEW.kyc_status = 'verified' AND NEW.kyc_verified_at IS DISTINCT FROM OLD.kyc_verified_at THEN
    PERFORM tlog_queue_state('operator', NEW.id::text, NULL, 'verified', NEW.kyc_verified_at, NULL);
  ELSIF NEW.kyc_status = 'expired' AND OLD.kyc_status = 'verified' THEN
    PERFORM tlog_queue_state('operator', NEW.id::text, NULL, 'expired', NEW.updated_at, NULL);
  END IF;
  IF NEW.status <> OLD.status THEN
    PERFORM tlog_queue_state('operator', NEW.id::text, NULL,
      CASE NEW.status WHEN 'suspended' THEN 'suspended' ELSE 'reinstated' END, NEW.updated_at, NULL);
  END IF;
  RETURN NULL;
END $$;
