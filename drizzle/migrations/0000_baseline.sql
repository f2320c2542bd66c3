-- The whole schema. drizzle-kit generates the tables, constraints and indexes from src/db/schema.ts; what it cannot say is
-- written by hand before and after them. The functions that statements call are in drizzle/functions, applied after the
-- migrations; here are only those on which a table rests, for these change with their table.
-- Locks: every object is new, so nobody waits.

-- Typo help in search: similarity of words, and the operator class of "agents_name_trigrams".
CREATE EXTENSION IF NOT EXISTS pg_trgm;
--> statement-breakpoint
-- The generated column "search" of agents: number and name weigh A, specializations B, the description C. The column is
-- stored, so another body means a migration that adds the column anew.
CREATE FUNCTION agent_search(p_reg text, p_name text, p_specializations text[], p_description text) RETURNS tsvector
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT setweight(to_tsvector('pg_catalog.simple', replace(p_reg, '-', ' ') || ' ' || p_name), 'A')
    || setweight(to_tsvector('pg_catalog.simple', array_to_string(p_specializations, ' ')), 'B')
    || setweight(to_tsvector('pg_catalog.simple', p_description), 'C')
$$;
--> statement-breakpoint
CREATE TABLE "activity_events" (
	"id" uuid PRIMARY KEY NOT NULL,
	"agent_id" uuid NOT NULL,
	"seq" bigint NOT NULL,
	"event_type" text NOT NULL,
	"severity" text NOT NULL,
	"metadata" jsonb NOT NULL,
	"reported_by" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "agent_daily" (
	"agent_id" uuid NOT NULL,
	"day" date NOT NULL,
	"events" bigint DEFAULT 0 NOT NULL,
	"completed" bigint DEFAULT 0 NOT NULL,
	"failed" bigint DEFAULT 0 NOT NULL,
	"graded_count" bigint DEFAULT 0 NOT NULL,
	"graded_milli" bigint DEFAULT 0 NOT NULL,
	"latency_count" bigint DEFAULT 0 NOT NULL,
	"latency_ms" bigint DEFAULT 0 NOT NULL,
	"latency_satisfied" bigint DEFAULT 0 NOT NULL,
	"latency_tolerating" bigint DEFAULT 0 NOT NULL,
	"latency_log_micro" bigint DEFAULT 0 NOT NULL,
	"incidents_info" bigint DEFAULT 0 NOT NULL,
	"incidents_warning" bigint DEFAULT 0 NOT NULL,
	"incidents_error" bigint DEFAULT 0 NOT NULL,
	"incidents_critical" bigint DEFAULT 0 NOT NULL,
	"up_seconds" bigint DEFAULT 0 NOT NULL,
	"down_seconds" bigint DEFAULT 0 NOT NULL,
	"platform_events" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "agent_daily_agent_id_day_pk" PRIMARY KEY("agent_id","day")
);
--> statement-breakpoint
CREATE TABLE "agent_stats" (
	"agent_id" uuid PRIMARY KEY NOT NULL,
	"events" bigint DEFAULT 0 NOT NULL,
	"tasks_completed" bigint DEFAULT 0 NOT NULL,
	"tasks_failed" bigint DEFAULT 0 NOT NULL,
	"response_count" bigint DEFAULT 0 NOT NULL,
	"response_ms" bigint DEFAULT 0 NOT NULL,
	"incident_count" integer DEFAULT 0 NOT NULL,
	"open_incident_count" integer DEFAULT 0 NOT NULL,
	"last_active_at" timestamp (3) with time zone,
	"lifecycle_state" text,
	"lifecycle_since" timestamp (3) with time zone,
	"deactivated" boolean DEFAULT false NOT NULL,
	"unscored_since" timestamp (3) with time zone,
	"score_revision" integer DEFAULT 0 NOT NULL,
	"scored_day" date,
	"trust_level" smallint DEFAULT 0 NOT NULL,
	"trust_score_overall" numeric(4, 1),
	"trust_score_updated" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "agents" (
	"id" uuid PRIMARY KEY NOT NULL,
	"reg" text NOT NULL,
	"operator_id" uuid NOT NULL,
	"platform_id" uuid,
	"name" text NOT NULL,
	"description" text NOT NULL,
	"class" text NOT NULL,
	"status" text DEFAULT 'active' NOT NULL,
	"ownership_status" text DEFAULT 'unverified' NOT NULL,
	"ownership_verified_at" timestamp (3) with time zone,
	"specializations" text[] NOT NULL,
	"registered_at" timestamp (3) with time zone NOT NULL,
	"deactivated_at" timestamp (3) with time zone,
	"search" "tsvector" GENERATED ALWAYS AS (agent_search(reg, name, specializations, description)) STORED
);
--> statement-breakpoint
CREATE TABLE "api_keys" (
	"id" uuid PRIMARY KEY NOT NULL,
	"operator_id" uuid NOT NULL,
	"platform_id" uuid,
	"name" text NOT NULL,
	"key_prefix" text NOT NULL,
	"salt" text NOT NULL,
	"secret_hash" text NOT NULL,
	"permissions" text[] NOT NULL,
	"rate_limit_per_minute" integer DEFAULT 60 NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone,
	"revoked_at" timestamp (3) with time zone,
	"last_used_at" timestamp (3) with time zone,
	"requests_count" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "audit_log" (
	"id" uuid PRIMARY KEY NOT NULL,
	"operator_id" uuid NOT NULL,
	"action" text NOT NULL,
	"target" text,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "idempotency_keys" (
	"scope" text PRIMARY KEY NOT NULL,
	"body_sha256" text NOT NULL,
	"answer" jsonb NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "incidents" (
	"id" uuid PRIMARY KEY NOT NULL,
	"agent_id" uuid NOT NULL,
	"event_id" uuid NOT NULL,
	"title" text NOT NULL,
	"description" text NOT NULL,
	"severity" text NOT NULL,
	"status" text DEFAULT 'open' NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"resolution" text,
	"resolved_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "job_runs" (
	"name" text PRIMARY KEY NOT NULL,
	"succeeded_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "kyc_checks" (
	"id" uuid PRIMARY KEY NOT NULL,
	"operator_id" uuid NOT NULL,
	"provider" text NOT NULL,
	"provider_session_id" text NOT NULL,
	"status" text NOT NULL,
	"previous_status" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"completed_at" timestamp (3) with time zone,
	"reason" text,
	"provider_event_id" text,
	"reminded_days" smallint
);
--> statement-breakpoint
CREATE TABLE "notifications" (
	"id" uuid PRIMARY KEY NOT NULL,
	"operator_id" uuid NOT NULL,
	"type" text NOT NULL,
	"title" text NOT NULL,
	"body" text NOT NULL,
	"reg" text,
	"read_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "number_slots" (
	"year" smallint NOT NULL,
	"slot" smallint NOT NULL,
	"block" integer NOT NULL,
	"next" integer NOT NULL,
	CONSTRAINT "number_slots_year_slot_pk" PRIMARY KEY("year","slot")
);
--> statement-breakpoint
CREATE TABLE "operators" (
	"id" uuid PRIMARY KEY NOT NULL,
	"issuer" text NOT NULL,
	"subject" text NOT NULL,
	"email" text NOT NULL,
	"name" text NOT NULL,
	"company_name" text,
	"company_url" text,
	"avatar_url" text,
	"role" text DEFAULT 'operator' NOT NULL,
	"status" text DEFAULT 'active' NOT NULL,
	"kyc_status" text DEFAULT 'unverified' NOT NULL,
	"kyc_verified_at" timestamp (3) with time zone,
	"kyc_expires_at" timestamp (3) with time zone,
	"tier" text DEFAULT 'free' NOT NULL,
	"agent_limit" integer NOT NULL,
	"active_agents" integer DEFAULT 0 NOT NULL,
	"notification_prefs" jsonb NOT NULL,
	"digest_week" date NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "operators_active_agents" CHECK ("operators"."active_agents" >= 0)
);
--> statement-breakpoint
CREATE TABLE "ownership_challenges" (
	"id" uuid PRIMARY KEY NOT NULL,
	"agent_id" uuid NOT NULL,
	"domain" text NOT NULL,
	"method" text NOT NULL,
	"token" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"verified_at" timestamp (3) with time zone,
	"checked_at" timestamp (3) with time zone,
	"misses" smallint DEFAULT 0 NOT NULL,
	"ended_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "platforms" (
	"id" uuid PRIMARY KEY NOT NULL,
	"operator_id" uuid NOT NULL,
	"slug" text NOT NULL,
	"name" text NOT NULL,
	"webhook_url" text,
	"webhook_secret" text NOT NULL,
	"previous_webhook_secret" text,
	"previous_webhook_secret_until" timestamp (3) with time zone,
	"event_types" text[],
	"webhook_status" text DEFAULT 'enabled' NOT NULL,
	"failed_in_row" integer DEFAULT 0 NOT NULL,
	"failing_since" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "sessions" (
	"id" text PRIMARY KEY NOT NULL,
	"operator_id" uuid NOT NULL,
	"salt" text NOT NULL,
	"secret_hash" text NOT NULL,
	"ip" text NOT NULL,
	"user_agent" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"ended_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "trust_scores" (
	"agent_id" uuid NOT NULL,
	"day" date NOT NULL,
	"overall" numeric(4, 1) NOT NULL,
	"reliability" numeric(4, 1) NOT NULL,
	"accuracy" numeric(4, 1) NOT NULL,
	"safety" numeric(4, 1) NOT NULL,
	"speed" numeric(4, 1) NOT NULL,
	"consistency" numeric(4, 1) NOT NULL,
	"events_considered" bigint NOT NULL,
	"algorithm_version" text NOT NULL,
	"inputs_sha256" text NOT NULL,
	"computed_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "trust_scores_agent_id_day_pk" PRIMARY KEY("agent_id","day")
);
--> statement-breakpoint
CREATE TABLE "usage_folds" (
	"id" uuid PRIMARY KEY NOT NULL,
	"folded_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "webhook_attempts" (
	"delivery_id" uuid NOT NULL,
	"number" smallint NOT NULL,
	"started_at" timestamp (3) with time zone NOT NULL,
	"duration_ms" integer,
	"response_status" smallint,
	"error" text,
	"response_excerpt" text,
	CONSTRAINT "webhook_attempts_delivery_id_number_pk" PRIMARY KEY("delivery_id","number")
);
--> statement-breakpoint
CREATE TABLE "webhook_deliveries" (
	"id" uuid PRIMARY KEY NOT NULL,
	"event_id" text NOT NULL,
	"platform_id" uuid NOT NULL,
	"type" text NOT NULL,
	"status" text NOT NULL,
	"attempts" smallint DEFAULT 0 NOT NULL,
	"lease_until" timestamp (3) with time zone,
	"next_attempt_at" timestamp (3) with time zone,
	"published_at" timestamp (3) with time zone,
	"publish_count" smallint DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"delivered_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "webhook_events" (
	"id" text PRIMARY KEY NOT NULL,
	"type" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"data" jsonb NOT NULL
);
--> statement-breakpoint
ALTER TABLE "agent_stats" ADD CONSTRAINT "agent_stats_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "agents" ADD CONSTRAINT "agents_operator_id_operators_id_fk" FOREIGN KEY ("operator_id") REFERENCES "public"."operators"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "agents" ADD CONSTRAINT "agents_platform_id_platforms_id_fk" FOREIGN KEY ("platform_id") REFERENCES "public"."platforms"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_operator_id_operators_id_fk" FOREIGN KEY ("operator_id") REFERENCES "public"."operators"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_platform_id_platforms_id_fk" FOREIGN KEY ("platform_id") REFERENCES "public"."platforms"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "audit_log" ADD CONSTRAINT "audit_log_operator_id_operators_id_fk" FOREIGN KEY ("operator_id") REFERENCES "public"."operators"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "incidents" ADD CONSTRAINT "incidents_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "kyc_checks" ADD CONSTRAINT "kyc_checks_operator_id_operators_id_fk" FOREIGN KEY ("operator_id") REFERENCES "public"."operators"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notifications" ADD CONSTRAINT "notifications_operator_id_operators_id_fk" FOREIGN KEY ("operator_id") REFERENCES "public"."operators"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ownership_challenges" ADD CONSTRAINT "ownership_challenges_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "platforms" ADD CONSTRAINT "platforms_operator_id_operators_id_fk" FOREIGN KEY ("operator_id") REFERENCES "public"."operators"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_operator_id_operators_id_fk" FOREIGN KEY ("operator_id") REFERENCES "public"."operators"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_attempts" ADD CONSTRAINT "webhook_attempts_delivery_id_webhook_deliveries_id_fk" FOREIGN KEY ("delivery_id") REFERENCES "public"."webhook_deliveries"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_event_id_webhook_events_id_fk" FOREIGN KEY ("event_id") REFERENCES "public"."webhook_events"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_platform_id_platforms_id_fk" FOREIGN KEY ("platform_id") REFERENCES "public"."platforms"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "activity_events_agent_seq" ON "activity_events" USING btree ("agent_id","seq");--> statement-breakpoint
-- The log by agent and type, and by agent and time; "seq" is its order. No foreign key: it doubles the cost of an insert,
-- and the statement that inserts holds the agent's row.
CREATE INDEX "activity_events_agent_type" ON "activity_events" USING btree ("agent_id","event_type","seq");--> statement-breakpoint
CREATE INDEX "activity_events_agent_time" ON "activity_events" USING btree ("agent_id","created_at","seq");--> statement-breakpoint
-- Ids are UUIDv7: their order is that of registration, which breaks ties.
CREATE INDEX "agent_stats_ranking" ON "agent_stats" USING btree ("trust_score_overall" desc nulls last,"agent_id" desc);--> statement-breakpoint
CREATE INDEX "agent_stats_scored_day" ON "agent_stats" USING btree ("scored_day") WHERE "agent_stats"."scored_day" is not null;--> statement-breakpoint
CREATE INDEX "agent_stats_unscored" ON "agent_stats" USING btree ("unscored_since") WHERE "agent_stats"."unscored_since" is not null;--> statement-breakpoint
-- text_pattern_ops: also by the beginning of a number, whatever the collation.
CREATE UNIQUE INDEX "agents_reg" ON "agents" USING btree ("reg" text_pattern_ops);--> statement-breakpoint
CREATE INDEX "agents_operator" ON "agents" USING btree ("operator_id","registered_at");--> statement-breakpoint
CREATE INDEX "agents_platform" ON "agents" USING btree ("platform_id") WHERE "agents"."platform_id" is not null;--> statement-breakpoint
CREATE INDEX "agents_search" ON "agents" USING gin ("search");--> statement-breakpoint
CREATE INDEX "agents_name_trigrams" ON "agents" USING gin ("name" gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "agents_specializations" ON "agents" USING gin ("specializations");--> statement-breakpoint
-- A search by class as a range: else a third of all agents is read to count at most 10,000 of them.
CREATE INDEX "agents_class" ON "agents" USING btree ("class","id");--> statement-breakpoint
CREATE INDEX "agents_deactivated" ON "agents" USING btree ("id") WHERE "agents"."status" = 'deactivated';--> statement-breakpoint
CREATE INDEX "agents_verified" ON "agents" USING btree ("id") WHERE "agents"."ownership_status" = 'verified';--> statement-breakpoint
CREATE UNIQUE INDEX "api_keys_prefix" ON "api_keys" USING btree ("key_prefix");--> statement-breakpoint
CREATE INDEX "api_keys_operator" ON "api_keys" USING btree ("operator_id");--> statement-breakpoint
CREATE INDEX "api_keys_platform" ON "api_keys" USING btree ("platform_id") WHERE "api_keys"."platform_id" is not null;--> statement-breakpoint
CREATE INDEX "audit_log_operator" ON "audit_log" USING btree ("operator_id","created_at");--> statement-breakpoint
CREATE INDEX "idempotency_keys_created" ON "idempotency_keys" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "incidents_agent" ON "incidents" USING btree ("agent_id","created_at");--> statement-breakpoint
-- Incidents by status, and by the time of their resolution for the digest, each as a range.
CREATE INDEX "incidents_status" ON "incidents" USING btree ("agent_id","status","created_at","id");--> statement-breakpoint
CREATE INDEX "incidents_resolved" ON "incidents" USING btree ("agent_id","resolved_at") WHERE "incidents"."resolved_at" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "kyc_checks_session" ON "kyc_checks" USING btree ("provider_session_id");--> statement-breakpoint
CREATE UNIQUE INDEX "kyc_checks_event" ON "kyc_checks" USING btree ("provider_event_id");--> statement-breakpoint
CREATE UNIQUE INDEX "kyc_checks_pending" ON "kyc_checks" USING btree ("operator_id") WHERE "kyc_checks"."status" = 'pending';--> statement-breakpoint
CREATE INDEX "kyc_checks_operator" ON "kyc_checks" USING btree ("operator_id","created_at");--> statement-breakpoint
CREATE INDEX "notifications_operator" ON "notifications" USING btree ("operator_id","created_at");--> statement-breakpoint
CREATE INDEX "notifications_created" ON "notifications" USING btree ("created_at");--> statement-breakpoint
-- One trust alert for each agent and UTC day, whoever writes at once.
CREATE UNIQUE INDEX "notifications_trust_alert" ON "notifications" USING btree ("reg",((("created_at") at time zone 'utc')::date)) WHERE "notifications"."type" = 'trust_alert';--> statement-breakpoint
CREATE INDEX "notifications_unread" ON "notifications" USING btree ("operator_id") WHERE "notifications"."read_at" is null;--> statement-breakpoint
CREATE UNIQUE INDEX "operators_identity" ON "operators" USING btree ("issuer","subject");--> statement-breakpoint
CREATE INDEX "operators_email" ON "operators" USING btree ("email");--> statement-breakpoint
CREATE INDEX "operators_kyc_expiry" ON "operators" USING btree ("kyc_expires_at") WHERE "operators"."kyc_status" = 'verified';--> statement-breakpoint
CREATE INDEX "operators_digest" ON "operators" USING btree ("digest_week");--> statement-breakpoint
CREATE UNIQUE INDEX "ownership_challenges_pending" ON "ownership_challenges" USING btree ("agent_id") WHERE "ownership_challenges"."verified_at" is null and "ownership_challenges"."ended_at" is null;--> statement-breakpoint
CREATE UNIQUE INDEX "ownership_challenges_verified" ON "ownership_challenges" USING btree ("agent_id") WHERE "ownership_challenges"."verified_at" is not null and "ownership_challenges"."ended_at" is null;--> statement-breakpoint
CREATE INDEX "ownership_challenges_due" ON "ownership_challenges" USING btree ("checked_at") WHERE "ownership_challenges"."verified_at" is not null and "ownership_challenges"."ended_at" is null;--> statement-breakpoint
CREATE UNIQUE INDEX "platforms_slug" ON "platforms" USING btree ("slug");--> statement-breakpoint
CREATE INDEX "platforms_operator" ON "platforms" USING btree ("operator_id");--> statement-breakpoint
CREATE INDEX "sessions_operator" ON "sessions" USING btree ("operator_id","created_at");--> statement-breakpoint
CREATE INDEX "sessions_over" ON "sessions" USING btree (least("ended_at", "expires_at"));--> statement-breakpoint
CREATE INDEX "webhook_deliveries_platform" ON "webhook_deliveries" USING btree ("platform_id","created_at");--> statement-breakpoint
-- Lists by a rare type are a range, not the platform's 30 days.
CREATE INDEX "webhook_deliveries_type" ON "webhook_deliveries" USING btree ("platform_id","type","created_at");--> statement-breakpoint
-- The age of the outbox (/ready) is the first row of this index.
CREATE INDEX "webhook_deliveries_due" ON "webhook_deliveries" USING btree ("next_attempt_at") WHERE "webhook_deliveries"."status" = 'pending';--> statement-breakpoint
-- The sweep asks each platform in turn for what is overdue, then for what QStash was not told of, and what is to be told
-- again: each is a range, so that no statement reads past what others have piled up.
CREATE INDEX "webhook_deliveries_waiting" ON "webhook_deliveries" USING btree ("platform_id","next_attempt_at") WHERE "webhook_deliveries"."status" = 'pending';--> statement-breakpoint
CREATE INDEX "webhook_deliveries_unpublished" ON "webhook_deliveries" USING btree ("platform_id","next_attempt_at") WHERE "webhook_deliveries"."status" = 'pending' and "webhook_deliveries"."published_at" is null;--> statement-breakpoint
CREATE INDEX "webhook_deliveries_republish" ON "webhook_deliveries" USING btree ("platform_id",greatest("next_attempt_at" at time zone 'utc', ("published_at" at time zone 'utc')
    + make_interval(secs => 600 * power(2, least("publish_count", 10))))) WHERE "webhook_deliveries"."status" = 'pending' and "webhook_deliveries"."published_at" is not null;--> statement-breakpoint
CREATE INDEX "webhook_deliveries_event" ON "webhook_deliveries" USING btree ("event_id");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_undelivered" ON "webhook_deliveries" USING btree ("platform_id","created_at") WHERE "webhook_deliveries"."status" in ('failed', 'skipped');--> statement-breakpoint
CREATE INDEX "webhook_deliveries_created" ON "webhook_deliveries" USING btree ("created_at") WHERE "webhook_deliveries"."status" <> 'pending';--> statement-breakpoint
CREATE INDEX "webhook_events_created" ON "webhook_events" USING btree ("created_at");
--> statement-breakpoint
-- The log is append-only: no statement changes or removes an event, whoever runs it.
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only: % is refused', TG_TABLE_NAME, TG_OP USING ERRCODE = 'insufficient_privilege';
END $$;
--> statement-breakpoint
CREATE TRIGGER activity_events_immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON activity_events
FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
--> statement-breakpoint
-- ALWAYS: also for the owner, and with session_replication_role = replica.
ALTER TABLE activity_events ENABLE ALWAYS TRIGGER activity_events_immutable;
--> statement-breakpoint
-- Rows that every event updates: room on their page keeps the updates out of the indexes.
ALTER TABLE agent_stats SET (fillfactor = 50);
--> statement-breakpoint
ALTER TABLE agent_daily SET (fillfactor = 70);
--> statement-breakpoint
ALTER TABLE number_slots SET (fillfactor = 10);
--> statement-breakpoint
-- Merged at once: a search must not have to read through unmerged entries.
ALTER INDEX agents_search SET (fastupdate = off);
--> statement-breakpoint
ALTER INDEX agents_name_trigrams SET (fastupdate = off);
--> statement-breakpoint
ALTER INDEX agents_specializations SET (fastupdate = off);
--> statement-breakpoint
-- The Worker's role owns nothing. Roles belong to the server: another database of it may have made this one already.
-- Who deploys gives it its password and the right to log in (WORKER_PASSWORD of db:migrate).
DO $$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'registry_worker') THEN
    CREATE ROLE registry_worker NOLOGIN;
  END IF;
END $$;
--> statement-breakpoint
-- The deadline of a request is 5 s: what runs longer has no reader, and a lock is given up in time to answer 503.
ALTER ROLE registry_worker SET statement_timeout = '5s';
--> statement-breakpoint
ALTER ROLE registry_worker SET lock_timeout = '3s';
--> statement-breakpoint
-- Days are UTC days.
ALTER ROLE registry_worker SET timezone = 'UTC';
--> statement-breakpoint
-- Every statement is short: starting parallel workers or compiling it would cost more than it could save.
ALTER ROLE registry_worker SET max_parallel_workers_per_gather = 0;
--> statement-breakpoint
ALTER ROLE registry_worker SET jit = off;
--> statement-breakpoint
-- How alike a word must be for typo help: 0.4 finds two swapped letters, the default of 0.6 does not.
ALTER ROLE registry_worker SET pg_trgm.word_similarity_threshold = 0.4;
--> statement-breakpoint
GRANT SELECT, INSERT, UPDATE ON operators, platforms, agents, agent_stats, number_slots, api_keys, agent_daily,
  trust_scores, incidents, ownership_challenges, kyc_checks, job_runs TO registry_worker;
--> statement-breakpoint
-- Never changed: the log, which the trigger guards as well, and the audit log.
GRANT SELECT, INSERT ON activity_events, audit_log TO registry_worker;
--> statement-breakpoint
-- Kept for a time only: the clean-up deletes what is over.
GRANT SELECT, INSERT, DELETE ON webhook_events, usage_folds TO registry_worker;
--> statement-breakpoint
GRANT SELECT, INSERT, UPDATE, DELETE ON sessions, webhook_deliveries, webhook_attempts, notifications, idempotency_keys
  TO registry_worker;
