-- What the Worker's role must not be able to do to the transparency log: store a head that the tree does not reach, or
-- have the functions of triggers run on tables of its own.
-- Locks: SHARE ROW EXCLUSIVE for a moment on tlog_heads.
CREATE FUNCTION tlog_head_fits() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF length(NEW.root) = 32 AND NEW.size <= (SELECT s.size FROM tlog_state s) THEN RETURN NEW; END IF;
  RAISE EXCEPTION 'a head of % leaves is beyond the tree', NEW.size USING ERRCODE = 'check_violation';
END $$;
--> statement-breakpoint
CREATE TRIGGER tlog_heads_fit BEFORE INSERT OR UPDATE ON tlog_heads FOR EACH ROW EXECUTE FUNCTION tlog_head_fits();
--> statement-breakpoint
REVOKE EXECUTE ON FUNCTION tlog_only_grows(), tlog_agent_changed(), tlog_incident_changed(), tlog_event_redacted(),
  tlog_score_written(), tlog_head_fits() FROM PUBLIC;
