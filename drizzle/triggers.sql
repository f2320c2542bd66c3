-- Triggers; their functions are in drizzle/functions. ENABLE ALWAYS: also with session_replication_role = replica.

-- Events are append-only, also for the owner of the table.
CREATE OR REPLACE TRIGGER activity_events_immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON activity_events
FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE activity_events ENABLE ALWAYS TRIGGER activity_events_immutable;

-- Incidents are shown, and their leaves commit to them.
CREATE OR REPLACE TRIGGER incidents_guarded BEFORE UPDATE OR DELETE ON incidents
FOR EACH ROW EXECUTE FUNCTION guard_incident();
CREATE OR REPLACE TRIGGER incidents_stay BEFORE TRUNCATE ON incidents EXECUTE FUNCTION guard_incident();
ALTER TABLE incidents ENABLE ALWAYS TRIGGER incidents_guarded;
ALTER TABLE incidents ENABLE ALWAYS TRIGGER incidents_stay;

-- A key of an agent is never given out again, and is revoked at most once.
CREATE OR REPLACE TRIGGER agent_keys_guarded BEFORE UPDATE OR DELETE ON agent_keys
FOR EACH ROW EXECUTE FUNCTION guard_agent_key();
CREATE OR REPLACE TRIGGER agent_keys_stay BEFORE TRUNCATE ON agent_keys EXECUTE FUNCTION guard_agent_key();
CREATE OR REPLACE TRIGGER agent_keys_tlog AFTER INSERT OR UPDATE OF revoked_at ON agent_keys
FOR EACH ROW EXECUTE FUNCTION tlog_agent_key_changed();
ALTER TABLE agent_keys ENABLE ALWAYS TRIGGER agent_keys_guarded;
ALTER TABLE agent_keys ENABLE ALWAYS TRIGGER agent_keys_stay;
ALTER TABLE agent_keys ENABLE ALWAYS TRIGGER agent_keys_tlog;

CREATE OR REPLACE TRIGGER agent_evidence_printed BEFORE INSERT OR UPDATE ON agent_evidence
FOR EACH ROW EXECUTE FUNCTION print_evidence();
ALTER TABLE agent_evidence ENABLE ALWAYS TRIGGER agent_evidence_printed;

-- The tables of the transparency log only grow.
DO $$
DECLARE t text;
BEGIN
  FOREACH t IN ARRAY '{tlog_state,tlog_tiles,tlog_bundles,tlog_batches,tlog_ranges,tlog_facts,tlog_heads}'::text[] LOOP
    EXECUTE format('CREATE OR REPLACE TRIGGER %1$s_grows BEFORE UPDATE OR DELETE ON %1$s FOR EACH ROW EXECUTE FUNCTION tlog_only_grows();
      CREATE OR REPLACE TRIGGER %1$s_stays BEFORE TRUNCATE ON %1$s EXECUTE FUNCTION tlog_only_grows();
      ALTER TABLE %1$s ENABLE ALWAYS TRIGGER %1$s_grows;
      ALTER TABLE %1$s ENABLE ALWAYS TRIGGER %1$s_stays', t);
  END LOOP;
END $$;

CREATE OR REPLACE TRIGGER tlog_heads_fit BEFORE INSERT OR UPDATE ON tlog_heads
FOR EACH ROW EXECUTE FUNCTION tlog_head_fits();

-- What is changed is queued for the transparency log.
CREATE OR REPLACE TRIGGER agents_tlog BEFORE INSERT OR UPDATE ON agents
FOR EACH ROW EXECUTE FUNCTION tlog_agent_changed();
CREATE OR REPLACE TRIGGER incidents_tlog AFTER INSERT OR UPDATE OF status ON incidents
FOR EACH ROW EXECUTE FUNCTION tlog_incident_changed();
CREATE OR REPLACE TRIGGER redactions_tlog AFTER INSERT ON redactions
FOR EACH ROW EXECUTE FUNCTION tlog_event_redacted();
CREATE OR REPLACE TRIGGER operators_tlog AFTER UPDATE OF status, kyc_status, kyc_verified_at ON operators
FOR EACH ROW EXECUTE FUNCTION tlog_operator_changed();
CREATE OR REPLACE TRIGGER platforms_tlog AFTER INSERT OR UPDATE OF status, established_at, distrusted_at ON platforms
FOR EACH ROW EXECUTE FUNCTION tlog_platform_changed();
CREATE OR REPLACE TRIGGER trust_scores_tlog_insert AFTER INSERT ON trust_scores REFERENCING NEW TABLE AS written
FOR EACH STATEMENT EXECUTE FUNCTION tlog_score_written();
CREATE OR REPLACE TRIGGER trust_scores_tlog_update AFTER UPDATE ON trust_scores REFERENCING NEW TABLE AS written
FOR EACH STATEMENT EXECUTE FUNCTION tlog_score_written();
-- A rebuild of the scores deletes those that it does not find.
CREATE OR REPLACE TRIGGER trust_scores_tlog_delete AFTER DELETE ON trust_scores REFERENCING OLD TABLE AS written
FOR EACH STATEMENT EXECUTE FUNCTION tlog_score_written();

-- Searches list the agents of suspended operators only on request.
CREATE OR REPLACE TRIGGER operators_suspended AFTER UPDATE OF status ON operators
FOR EACH ROW WHEN (OLD.status IS DISTINCT FROM NEW.status) EXECUTE FUNCTION operator_suspended();
