CREATE TYPE "public"."report_source" AS ENUM('self', 'unproven', 'peer', 'independent');--> statement-breakpoint
CREATE TABLE "activity_events" (
	"id" uuid NOT NULL,
	"agent_id" uuid NOT NULL,
	"seq" bigint NOT NULL,
	"event_type" text NOT NULL,
	"severity" text NOT NULL,
	"metadata" jsonb NOT NULL,
	"reported_by" text NOT NULL,
	"source" "report_source" DEFAULT 'self' NOT NULL,
	"platform" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "activity_events_agent_id_seq_pk" PRIMARY KEY("agent_id","seq"),
	CONSTRAINT "activity_events_metadata" CHECK (octet_length("activity_events"."metadata"::text) <= 20000)
);
--> statement-breakpoint
CREATE TABLE "agent_evidence" (
	"agent_id" uuid NOT NULL,
	"day" date NOT NULL,
	"source" "report_source" NOT NULL,
	"events" bigint DEFAULT 0 NOT NULL,
	"completed" bigint DEFAULT 0 NOT NULL,
	"failed" bigint DEFAULT 0 NOT NULL,
	"graded_count" bigint DEFAULT 0 NOT NULL,
	"graded_milli" bigint DEFAULT 0 NOT NULL,
	"latency_count" bigint DEFAULT 0 NOT NULL,
	"latency_satisfied" bigint DEFAULT 0 NOT NULL,
	"latency_tolerating" bigint DEFAULT 0 NOT NULL,
	"incidents_info" bigint DEFAULT 0 NOT NULL,
	"incidents_warning" bigint DEFAULT 0 NOT NULL,
	"incidents_error" bigint DEFAULT 0 NOT NULL,
	"incidents_critical" bigint DEFAULT 0 NOT NULL,
	"down_seconds" bigint DEFAULT 0 NOT NULL,
	"printed" text DEFAULT '' NOT NULL,
	CONSTRAINT "agent_evidence_agent_id_day_source_pk" PRIMARY KEY("agent_id","day","source")
);
--> statement-breakpoint
CREATE TABLE "agent_keys" (
	"kid" text PRIMARY KEY NOT NULL,
	"agent_id" uuid NOT NULL,
	"reg" text NOT NULL,
	"x" text NOT NULL,
	"added_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone,
	"revoked_at" timestamp (3) with time zone,
	"reason" text,
	"reminded_at" timestamp (3) with time zone,
	CONSTRAINT "agent_keys_revoked" CHECK (("agent_keys"."revoked_at" is null) = ("agent_keys"."reason" is null))
);
--> statement-breakpoint
CREATE TABLE "agent_outages" (
	"agent_id" uuid NOT NULL,
	"is_own" boolean NOT NULL,
	"began_on" date NOT NULL,
	"ended_on" date NOT NULL,
	CONSTRAINT "agent_outages_agent_id_is_own_ended_on_pk" PRIMARY KEY("agent_id","is_own","ended_on")
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
	"own_state" text,
	"own_since" timestamp (3) with time zone,
	"others_state" text,
	"others_since" timestamp (3) with time zone,
	"deactivated" boolean DEFAULT false NOT NULL,
	"suspended" boolean DEFAULT false NOT NULL,
	"unscored_since" timestamp (3) with time zone,
	"score_revision" integer DEFAULT 0 NOT NULL,
	"scored_day" date,
	"trust_level" smallint DEFAULT 0 NOT NULL,
	"trust_score_overall" numeric(4, 1),
	"trust_score_updated" timestamp (3) with time zone,
	"record_standing" text,
	"kept_score" json,
	"kept_algorithm" text,
	"reported_day" date,
	"own_events" integer DEFAULT 0 NOT NULL,
	"own_bytes" bigint DEFAULT 0 NOT NULL,
	"platform_events" integer DEFAULT 0 NOT NULL,
	"platform_bytes" bigint DEFAULT 0 NOT NULL,
	"incident_minute" timestamp (3) with time zone,
	"minute_incidents" smallint DEFAULT 0 NOT NULL,
	"minute_criticals" smallint DEFAULT 0 NOT NULL,
	"logged_events" bigint DEFAULT 0 NOT NULL,
	"unlogged_since" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "agents" (
	"id" uuid PRIMARY KEY NOT NULL,
	"reg" text NOT NULL,
	"operator_id" uuid NOT NULL,
	"platform_id" uuid,
	"platform_state" text,
	"platform_since" timestamp (3) with time zone,
	"platform_leaves_at" timestamp (3) with time zone,
	"next_platform_id" uuid,
	"name" text NOT NULL,
	"name_changed_at" timestamp (3) with time zone,
	"description" text NOT NULL,
	"class" text NOT NULL,
	"status" text DEFAULT 'active' NOT NULL,
	"ownership_status" text DEFAULT 'unverified' NOT NULL,
	"ownership_verified_at" timestamp (3) with time zone,
	"domain" text,
	"homepage_url" text,
	"card_url" text,
	"specializations" text[] NOT NULL,
	"registered_at" timestamp (3) with time zone NOT NULL,
	"deactivated_at" timestamp (3) with time zone,
	"revision" integer DEFAULT 0 NOT NULL,
	"changed_day" date,
	"changes" integer DEFAULT 0 NOT NULL,
	"texts_withheld_at" timestamp (3) with time zone,
	"search" "tsvector" GENERATED ALWAYS AS (case when texts_withheld_at is null then agent_search(reg, name, specializations, description)
        else agent_search(reg, '', '{}', '') end) STORED,
	CONSTRAINT "agents_domain_verified" CHECK ("agents"."domain" is null or "agents"."ownership_status" = 'verified'),
	CONSTRAINT "agents_platform_state" CHECK (("agents"."platform_id" is null) = ("agents"."platform_state" is null))
);
--> statement-breakpoint
CREATE TABLE "allowances" (
	"operator_id" uuid NOT NULL,
	"name" text NOT NULL,
	"since" timestamp (3) with time zone NOT NULL,
	"taken" integer NOT NULL,
	CONSTRAINT "allowances_operator_id_name_pk" PRIMARY KEY("operator_id","name")
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
CREATE TABLE "claimed_events" (
	"operator_id" uuid NOT NULL,
	"platform_id" uuid NOT NULL,
	"minute" timestamp (3) with time zone NOT NULL,
	"events" integer NOT NULL,
	"after_gap" boolean DEFAULT false NOT NULL,
	CONSTRAINT "claimed_events_operator_id_platform_id_pk" PRIMARY KEY("operator_id","platform_id")
);
--> statement-breakpoint
CREATE TABLE "idempotency_keys" (
	"scope" text PRIMARY KEY NOT NULL,
	"body_sha256" text NOT NULL,
	"answer" jsonb NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "idempotency_usage" (
	"operator_id" uuid NOT NULL,
	"share" text NOT NULL,
	"day" date NOT NULL,
	"bytes" bigint NOT NULL,
	CONSTRAINT "idempotency_usage_operator_id_share_pk" PRIMARY KEY("operator_id","share")
);
--> statement-breakpoint
CREATE TABLE "incidents" (
	"id" uuid PRIMARY KEY NOT NULL,
	"agent_id" uuid NOT NULL,
	"event_id" uuid NOT NULL,
	"reported_by" text NOT NULL,
	"source" "report_source" NOT NULL,
	"platform" text,
	"title" text NOT NULL,
	"description" text NOT NULL,
	"severity" text NOT NULL,
	"status" text DEFAULT 'open' NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"resolution" text,
	"resolved_at" timestamp (3) with time zone,
	"redacted" boolean DEFAULT false NOT NULL
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
	"reminded_days" smallint
);
--> statement-breakpoint
CREATE TABLE "mails" (
	"id" uuid PRIMARY KEY NOT NULL,
	"operator_id" uuid NOT NULL,
	"type" text NOT NULL,
	"reg" text,
	"critical" boolean DEFAULT false NOT NULL,
	"status" text DEFAULT 'pending' NOT NULL,
	"attempts" smallint DEFAULT 0 NOT NULL,
	"published_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL,
	"error" text
);
--> statement-breakpoint
CREATE TABLE "notifications" (
	"id" uuid PRIMARY KEY NOT NULL,
	"operator_id" uuid NOT NULL,
	"type" text NOT NULL,
	"title" text NOT NULL,
	"body" text NOT NULL,
	"reg" text,
	"incident_id" uuid,
	"critical" boolean DEFAULT false NOT NULL,
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
	"name_verified_at" timestamp (3) with time zone,
	"kyc_identity" text,
	"kyc_identity_released" boolean DEFAULT false NOT NULL,
	"kyc_day" date,
	"kyc_opened" smallint DEFAULT 0 NOT NULL,
	"tier" text DEFAULT 'free' NOT NULL,
	"agent_limit" integer NOT NULL,
	"active_agents" integer DEFAULT 0 NOT NULL,
	"unresponsive_day" date,
	"unresponsive_attempts" smallint DEFAULT 0 NOT NULL,
	"notification_prefs" jsonb NOT NULL,
	"mail_opt_outs" text[] DEFAULT '{}'::text[] NOT NULL,
	"mail_refused_at" timestamp (3) with time zone,
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
	"finding" text,
	"ended_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "platform_removals" (
	"agent_id" uuid NOT NULL,
	"platform_id" uuid NOT NULL,
	"removed_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "platform_removals_agent_id_platform_id_pk" PRIMARY KEY("agent_id","platform_id")
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
	"status" text DEFAULT 'active' NOT NULL,
	"admission" text DEFAULT 'open' NOT NULL,
	"webhook_status" text DEFAULT 'enabled' NOT NULL,
	"consecutive_failures" integer DEFAULT 0 NOT NULL,
	"failing_since" timestamp (3) with time zone,
	"last_response_at" timestamp (3) with time zone,
	"attempts_without_response" integer DEFAULT 0 NOT NULL,
	"established_at" timestamp (3) with time zone,
	"established_by" uuid[],
	"distrusted_at" timestamp (3) with time zone,
	"judged_day" date,
	"texts_withheld_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "redactions" (
	"event_id" uuid PRIMARY KEY NOT NULL,
	"agent_id" uuid NOT NULL,
	"reason" text NOT NULL,
	"redacted_at" timestamp (3) with time zone NOT NULL,
	"metadata_commitment" text,
	"added" jsonb NOT NULL,
	"erased_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "sessions" (
	"id" text PRIMARY KEY NOT NULL,
	"operator_id" uuid NOT NULL,
	"salt" text NOT NULL,
	"secret_hash" text NOT NULL,
	"ip" text NOT NULL,
	"user_agent" text NOT NULL,
	"name" text,
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
CREATE TABLE "tlog_batches" (
	"first_index" bigint PRIMARY KEY NOT NULL,
	"leaves" integer NOT NULL,
	"seed" "bytea" NOT NULL,
	"sequenced_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "tlog_bundles" (
	"n" bigint PRIMARY KEY NOT NULL,
	"entries" "bytea" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "tlog_days" (
	"day" date NOT NULL,
	"agent_id" uuid NOT NULL,
	CONSTRAINT "tlog_days_day_agent_id_pk" PRIMARY KEY("day","agent_id")
);
--> statement-breakpoint
CREATE TABLE "tlog_facts" (
	"index" bigint PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"agent_id" uuid,
	"subject" text NOT NULL,
	"rev" integer NOT NULL,
	"facts" text,
	"texts" text
);
--> statement-breakpoint
CREATE TABLE "tlog_heads" (
	"day" date PRIMARY KEY NOT NULL,
	"size" bigint NOT NULL,
	"root" "bytea" NOT NULL,
	"note" text NOT NULL,
	"cosignatures" text DEFAULT '' NOT NULL,
	"signed_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "tlog_outbox" (
	"kind" text NOT NULL,
	"subject" text NOT NULL,
	"rev" integer NOT NULL,
	"agent_id" uuid,
	"facts" text NOT NULL,
	"texts" text,
	CONSTRAINT "tlog_outbox_kind_subject_rev_pk" PRIMARY KEY("kind","subject","rev")
);
--> statement-breakpoint
CREATE TABLE "tlog_ranges" (
	"agent_id" uuid NOT NULL,
	"first_seq" bigint NOT NULL,
	"first_index" bigint NOT NULL,
	"leaves" integer NOT NULL,
	CONSTRAINT "tlog_ranges_agent_id_first_seq_pk" PRIMARY KEY("agent_id","first_seq")
);
--> statement-breakpoint
CREATE TABLE "tlog_state" (
	"one" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"size" bigint DEFAULT 0 NOT NULL,
	"paused" text,
	CONSTRAINT "tlog_state_one" CHECK ("tlog_state"."one")
);
--> statement-breakpoint
CREATE TABLE "tlog_tiles" (
	"level" smallint NOT NULL,
	"n" bigint NOT NULL,
	"hashes" "bytea" NOT NULL,
	CONSTRAINT "tlog_tiles_level_n_pk" PRIMARY KEY("level","n")
);
--> statement-breakpoint
ALTER TABLE "agent_keys" ADD CONSTRAINT "agent_keys_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "agent_stats" ADD CONSTRAINT "agent_stats_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "agents" ADD CONSTRAINT "agents_operator_id_operators_id_fk" FOREIGN KEY ("operator_id") REFERENCES "public"."operators"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "agents" ADD CONSTRAINT "agents_platform_id_platforms_id_fk" FOREIGN KEY ("platform_id") REFERENCES "public"."platforms"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "agents" ADD CONSTRAINT "agents_next_platform_id_platforms_id_fk" FOREIGN KEY ("next_platform_id") REFERENCES "public"."platforms"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "allowances" ADD CONSTRAINT "allowances_operator_id_operators_id_fk" FOREIGN KEY ("operator_id") REFERENCES "public"."operators"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_operator_id_operators_id_fk" FOREIGN KEY ("operator_id") REFERENCES "public"."operators"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_platform_id_platforms_id_fk" FOREIGN KEY ("platform_id") REFERENCES "public"."platforms"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "audit_log" ADD CONSTRAINT "audit_log_operator_id_operators_id_fk" FOREIGN KEY ("operator_id") REFERENCES "public"."operators"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "claimed_events" ADD CONSTRAINT "claimed_events_operator_id_operators_id_fk" FOREIGN KEY ("operator_id") REFERENCES "public"."operators"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "claimed_events" ADD CONSTRAINT "claimed_events_platform_id_platforms_id_fk" FOREIGN KEY ("platform_id") REFERENCES "public"."platforms"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "idempotency_usage" ADD CONSTRAINT "idempotency_usage_operator_id_operators_id_fk" FOREIGN KEY ("operator_id") REFERENCES "public"."operators"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "incidents" ADD CONSTRAINT "incidents_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "kyc_checks" ADD CONSTRAINT "kyc_checks_operator_id_operators_id_fk" FOREIGN KEY ("operator_id") REFERENCES "public"."operators"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mails" ADD CONSTRAINT "mails_id_notifications_id_fk" FOREIGN KEY ("id") REFERENCES "public"."notifications"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mails" ADD CONSTRAINT "mails_operator_id_operators_id_fk" FOREIGN KEY ("operator_id") REFERENCES "public"."operators"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notifications" ADD CONSTRAINT "notifications_operator_id_operators_id_fk" FOREIGN KEY ("operator_id") REFERENCES "public"."operators"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ownership_challenges" ADD CONSTRAINT "ownership_challenges_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "platform_removals" ADD CONSTRAINT "platform_removals_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "platform_removals" ADD CONSTRAINT "platform_removals_platform_id_platforms_id_fk" FOREIGN KEY ("platform_id") REFERENCES "public"."platforms"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "platforms" ADD CONSTRAINT "platforms_operator_id_operators_id_fk" FOREIGN KEY ("operator_id") REFERENCES "public"."operators"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "redactions" ADD CONSTRAINT "redactions_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_operator_id_operators_id_fk" FOREIGN KEY ("operator_id") REFERENCES "public"."operators"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_attempts" ADD CONSTRAINT "webhook_attempts_delivery_id_webhook_deliveries_id_fk" FOREIGN KEY ("delivery_id") REFERENCES "public"."webhook_deliveries"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_event_id_webhook_events_id_fk" FOREIGN KEY ("event_id") REFERENCES "public"."webhook_events"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_platform_id_platforms_id_fk" FOREIGN KEY ("platform_id") REFERENCES "public"."platforms"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "activity_events_agent_type" ON "activity_events" USING btree ("agent_id","event_type","seq");--> statement-breakpoint
CREATE INDEX "activity_events_id" ON "activity_events" USING brin ("id") WITH (autosummarize=true);--> statement-breakpoint
CREATE INDEX "agent_keys_agent" ON "agent_keys" USING btree ("agent_id","added_at" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "agent_keys_valid" ON "agent_keys" USING btree ("reg") WHERE "agent_keys"."revoked_at" is null;--> statement-breakpoint
CREATE INDEX "agent_keys_expiring" ON "agent_keys" USING btree ("expires_at") WHERE "agent_keys"."revoked_at" is null and "agent_keys"."reminded_at" is null;--> statement-breakpoint
CREATE INDEX "agent_stats_ranking" ON "agent_stats" USING btree ("suspended","deactivated","trust_score_overall" desc nulls last,"agent_id" desc);--> statement-breakpoint
CREATE INDEX "agent_stats_scored_day" ON "agent_stats" USING btree ("scored_day") WHERE "agent_stats"."scored_day" is not null;--> statement-breakpoint
CREATE INDEX "agent_stats_unscored" ON "agent_stats" USING btree ("unscored_since") WHERE "agent_stats"."unscored_since" is not null;--> statement-breakpoint
CREATE INDEX "agent_stats_unlogged" ON "agent_stats" USING btree ("unlogged_since","agent_id") WHERE "agent_stats"."unlogged_since" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "agents_reg" ON "agents" USING btree ("reg" text_pattern_ops);--> statement-breakpoint
CREATE INDEX "agents_operator" ON "agents" USING btree ("operator_id","registered_at","id");--> statement-breakpoint
CREATE INDEX "agents_operator_domains" ON "agents" USING btree ("operator_id","domain") WHERE "agents"."domain" is not null and "agents"."status" = 'active';--> statement-breakpoint
CREATE INDEX "agents_platform" ON "agents" USING btree ("platform_id","platform_state","platform_since","id") WHERE "agents"."platform_id" is not null;--> statement-breakpoint
CREATE INDEX "agents_leaving" ON "agents" USING btree ("platform_leaves_at") WHERE "agents"."platform_leaves_at" is not null;--> statement-breakpoint
CREATE INDEX "agents_domain" ON "agents" USING btree ("domain") WHERE "agents"."domain" is not null;--> statement-breakpoint
CREATE INDEX "agents_domain_reversed" ON "agents" USING btree (reverse("domain") text_pattern_ops) WHERE "agents"."domain" is not null;--> statement-breakpoint
CREATE INDEX "agents_search" ON "agents" USING gin ("search");--> statement-breakpoint
CREATE INDEX "agents_name_trigrams" ON "agents" USING gin ("name" gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "agents_specializations" ON "agents" USING gin ("specializations");--> statement-breakpoint
CREATE INDEX "agents_class" ON "agents" USING btree ("class","id");--> statement-breakpoint
CREATE INDEX "agents_deactivated" ON "agents" USING btree ("id") WHERE "agents"."status" = 'deactivated';--> statement-breakpoint
CREATE INDEX "agents_verified" ON "agents" USING btree ("id") WHERE "agents"."ownership_status" = 'verified';--> statement-breakpoint
CREATE UNIQUE INDEX "api_keys_prefix" ON "api_keys" USING btree ("key_prefix");--> statement-breakpoint
CREATE INDEX "api_keys_operator" ON "api_keys" USING btree ("operator_id","created_at");--> statement-breakpoint
CREATE INDEX "api_keys_live" ON "api_keys" USING btree ("operator_id",coalesce("expires_at", 'infinity')) WHERE "api_keys"."revoked_at" is null;--> statement-breakpoint
CREATE INDEX "api_keys_platform" ON "api_keys" USING btree ("platform_id") WHERE "api_keys"."platform_id" is not null;--> statement-breakpoint
CREATE INDEX "audit_log_operator" ON "audit_log" USING btree ("operator_id","created_at");--> statement-breakpoint
CREATE INDEX "idempotency_keys_created" ON "idempotency_keys" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "incidents_agent" ON "incidents" USING btree ("agent_id","created_at");--> statement-breakpoint
CREATE INDEX "incidents_status" ON "incidents" USING btree ("agent_id","status","created_at","id");--> statement-breakpoint
CREATE INDEX "incidents_open_critical" ON "incidents" USING btree ("agent_id") WHERE "incidents"."status" = 'open' and "incidents"."severity" = 'critical';--> statement-breakpoint
CREATE INDEX "incidents_resolved" ON "incidents" USING btree ("agent_id","resolved_at") WHERE "incidents"."resolved_at" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "kyc_checks_session" ON "kyc_checks" USING btree ("provider_session_id");--> statement-breakpoint
CREATE UNIQUE INDEX "kyc_checks_pending" ON "kyc_checks" USING btree ("operator_id") WHERE "kyc_checks"."status" = 'pending';--> statement-breakpoint
CREATE INDEX "kyc_checks_operator" ON "kyc_checks" USING btree ("operator_id","created_at");--> statement-breakpoint
CREATE INDEX "mails_operator" ON "mails" USING btree ("operator_id","created_at");--> statement-breakpoint
CREATE INDEX "mails_pending" ON "mails" USING btree ("created_at") WHERE "mails"."status" = 'pending';--> statement-breakpoint
CREATE INDEX "mails_created" ON "mails" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "notifications_operator" ON "notifications" USING btree ("operator_id","created_at");--> statement-breakpoint
CREATE INDEX "notifications_created" ON "notifications" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "notifications_incident" ON "notifications" USING btree ("incident_id") WHERE "notifications"."incident_id" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "notifications_trust_alert" ON "notifications" USING btree ("reg",((("created_at") at time zone 'utc')::date)) WHERE "notifications"."type" = 'trust_alert';--> statement-breakpoint
CREATE INDEX "notifications_unread" ON "notifications" USING btree ("operator_id") WHERE "notifications"."read_at" is null;--> statement-breakpoint
CREATE UNIQUE INDEX "operators_identity" ON "operators" USING btree ("issuer","subject");--> statement-breakpoint
CREATE INDEX "operators_name_trigrams" ON "operators" USING gin ("name" gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "operators_email" ON "operators" USING btree ("email");--> statement-breakpoint
CREATE INDEX "operators_kyc_expiry" ON "operators" USING btree ("kyc_expires_at") WHERE "operators"."kyc_status" = 'verified';--> statement-breakpoint
CREATE INDEX "operators_digest" ON "operators" USING btree ("digest_week");--> statement-breakpoint
CREATE INDEX "operators_suspended" ON "operators" USING btree ("id") WHERE "operators"."status" = 'suspended';--> statement-breakpoint
CREATE UNIQUE INDEX "ownership_challenges_pending" ON "ownership_challenges" USING btree ("agent_id") WHERE "ownership_challenges"."verified_at" is null and "ownership_challenges"."ended_at" is null;--> statement-breakpoint
CREATE UNIQUE INDEX "ownership_challenges_verified" ON "ownership_challenges" USING btree ("agent_id") WHERE "ownership_challenges"."verified_at" is not null and "ownership_challenges"."ended_at" is null;--> statement-breakpoint
CREATE INDEX "ownership_challenges_due" ON "ownership_challenges" USING btree ("checked_at") WHERE "ownership_challenges"."verified_at" is not null and "ownership_challenges"."ended_at" is null;--> statement-breakpoint
CREATE UNIQUE INDEX "platforms_slug" ON "platforms" USING btree ("slug");--> statement-breakpoint
CREATE INDEX "platforms_operator" ON "platforms" USING btree ("operator_id");--> statement-breakpoint
CREATE INDEX "platforms_distrusted" ON "platforms" USING btree ("operator_id") WHERE "platforms"."distrusted_at" is not null;--> statement-breakpoint
CREATE INDEX "platforms_unestablished" ON "platforms" USING btree ("judged_day") WHERE "platforms"."established_at" is null and "platforms"."status" = 'active';--> statement-breakpoint
CREATE INDEX "redactions_agent" ON "redactions" USING btree ("agent_id");--> statement-breakpoint
CREATE INDEX "sessions_operator" ON "sessions" USING btree ("operator_id","created_at");--> statement-breakpoint
CREATE INDEX "sessions_over" ON "sessions" USING btree (least("ended_at", "expires_at"));--> statement-breakpoint
CREATE INDEX "webhook_deliveries_platform" ON "webhook_deliveries" USING btree ("platform_id","created_at");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_type" ON "webhook_deliveries" USING btree ("platform_id","type","created_at");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_due" ON "webhook_deliveries" USING btree ("next_attempt_at") WHERE "webhook_deliveries"."status" = 'pending';--> statement-breakpoint
CREATE INDEX "webhook_deliveries_waiting" ON "webhook_deliveries" USING btree ("platform_id","next_attempt_at") WHERE "webhook_deliveries"."status" = 'pending';--> statement-breakpoint
CREATE INDEX "webhook_deliveries_unpublished" ON "webhook_deliveries" USING btree ("platform_id","next_attempt_at") WHERE "webhook_deliveries"."status" = 'pending' and "webhook_deliveries"."published_at" is null;--> statement-breakpoint
CREATE INDEX "webhook_deliveries_republish" ON "webhook_deliveries" USING btree ("platform_id",greatest("next_attempt_at" at time zone 'utc', ("published_at" at time zone 'utc')
    + make_interval(secs => 600 * power(2, least("publish_count", 10))))) WHERE "webhook_deliveries"."status" = 'pending' and "webhook_deliveries"."published_at" is not null;--> statement-breakpoint
CREATE INDEX "webhook_deliveries_event" ON "webhook_deliveries" USING btree ("event_id");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_undelivered" ON "webhook_deliveries" USING btree ("platform_id","created_at") WHERE "webhook_deliveries"."status" in ('failed', 'skipped');--> statement-breakpoint
CREATE INDEX "webhook_deliveries_created" ON "webhook_deliveries" USING btree ("created_at") WHERE "webhook_deliveries"."status" <> 'pending';--> statement-breakpoint
CREATE INDEX "webhook_events_created" ON "webhook_events" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "webhook_events_incident" ON "webhook_events" USING btree (("data" ->> 'incident_id')) WHERE "webhook_events"."type" in ('incident.created', 'incident.resolved');--> statement-breakpoint
CREATE INDEX "tlog_facts_agent" ON "tlog_facts" USING btree ("agent_id","kind","index");--> statement-breakpoint
CREATE INDEX "tlog_facts_subject" ON "tlog_facts" USING btree ("kind","subject","rev");--> statement-breakpoint
CREATE INDEX "tlog_heads_size" ON "tlog_heads" USING btree ("size");