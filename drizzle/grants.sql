-- The role of the Worker and its privileges; it owns nothing. Applied whenever anything else in drizzle/ has changed.

-- Roles belong to the server: another database on it may have created this one. `db:migrate` sets its password.
DO $$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'registry_worker') THEN
    CREATE ROLE registry_worker NOLOGIN;
  END IF;
END $$;

REVOKE ALL ON ALL TABLES IN SCHEMA public FROM registry_worker;

GRANT SELECT, INSERT, UPDATE ON operators, platforms, platform_removals, agents, agent_stats, agent_evidence, agent_outages, number_slots,
  api_keys, trust_scores, ownership_challenges, kyc_checks, job_runs, idempotency_usage,
  claimed_events, allowances TO registry_worker;
-- Append-only.
GRANT SELECT, INSERT ON activity_events, audit_log TO registry_worker;
-- Resolved; nothing else of an incident changes.
GRANT SELECT, INSERT, UPDATE (status, resolution, resolved_at) ON incidents TO registry_worker;
-- Revoked; nothing else of a key changes.
GRANT SELECT, INSERT, UPDATE (revoked_at, reason, reminded_at) ON agent_keys TO registry_worker;
-- Deleted after their retention period.
GRANT SELECT, INSERT, DELETE ON webhook_events, usage_folds TO registry_worker;
GRANT SELECT, INSERT, UPDATE, DELETE ON sessions, webhook_deliveries, webhook_attempts, notifications, mails,
  idempotency_keys TO registry_worker;
-- Written by functions of the owner.
GRANT SELECT ON redactions, tlog_state, tlog_tiles, tlog_bundles TO registry_worker;
GRANT SELECT, INSERT, UPDATE ON tlog_heads TO registry_worker;

-- /ready shows the number of migrations.
GRANT USAGE ON SCHEMA drizzle TO registry_worker;
GRANT SELECT ON drizzle.__drizzle_migrations TO registry_worker;

-- By default, every role may execute a function, even one with the rights of its owner. A trigger needs no right to it.
DO $$
DECLARE f record;
BEGIN
  FOR f IN SELECT p.oid::regprocedure AS called, p.prorettype = 'trigger'::regtype AS is_trigger FROM pg_proc p
    WHERE p.pronamespace = 'public'::regnamespace AND (p.prosecdef OR p.prorettype = 'trigger'::regtype)
      AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')
  LOOP
    EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC, registry_worker', f.called);
    IF NOT f.is_trigger THEN EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO registry_worker', f.called); END IF;
  END LOOP;
END $$;
