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
	"created_at" timestamp (3) with time zone NOT NULL
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
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "operators_active_agents" CHECK ("operators"."active_agents" >= 0)
);
--> statement-breakpoint
CREATE TABLE "platforms" (
	"id" uuid PRIMARY KEY NOT NULL,
	"operator_id" uuid NOT NULL,
	"slug" text NOT NULL,
	"name" text NOT NULL,
	"webhook_url" text,
	"webhook_secret" text NOT NULL,
	"event_types" text[],
	"webhook_status" text DEFAULT 'enabled' NOT NULL,
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
ALTER TABLE "audit_log" ADD CONSTRAINT "audit_log_operator_id_operators_id_fk" FOREIGN KEY ("operator_id") REFERENCES "public"."operators"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "incidents" ADD CONSTRAINT "incidents_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "kyc_checks" ADD CONSTRAINT "kyc_checks_operator_id_operators_id_fk" FOREIGN KEY ("operator_id") REFERENCES "public"."operators"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notifications" ADD CONSTRAINT "notifications_operator_id_operators_id_fk" FOREIGN KEY ("operator_id") REFERENCES "public"."operators"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "platforms" ADD CONSTRAINT "platforms_operator_id_operators_id_fk" FOREIGN KEY ("operator_id") REFERENCES "public"."operators"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_operator_id_operators_id_fk" FOREIGN KEY ("operator_id") REFERENCES "public"."operators"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_attempts" ADD CONSTRAINT "webhook_attempts_delivery_id_webhook_deliveries_id_fk" FOREIGN KEY ("delivery_id") REFERENCES "public"."webhook_deliveries"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_event_id_webhook_events_id_fk" FOREIGN KEY ("event_id") REFERENCES "public"."webhook_events"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_platform_id_platforms_id_fk" FOREIGN KEY ("platform_id") REFERENCES "public"."platforms"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "activity_events_agent_seq" ON "activity_events" USING btree ("agent_id","seq");--> statement-breakpoint
CREATE INDEX "activity_events_agent_type" ON "activity_events" USING btree ("agent_id","event_type","seq");--> statement-breakpoint
CREATE INDEX "activity_events_agent_time" ON "activity_events" USING btree ("agent_id","created_at","seq");--> statement-breakpoint
CREATE INDEX "agent_stats_ranking" ON "agent_stats" USING btree ("trust_score_overall" desc nulls last,"agent_id" desc);--> statement-breakpoint
CREATE INDEX "agent_stats_unscored" ON "agent_stats" USING btree ("unscored_since") WHERE "agent_stats"."unscored_since" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "agents_reg" ON "agents" USING btree ("reg" text_pattern_ops);--> statement-breakpoint
CREATE INDEX "agents_operator" ON "agents" USING btree ("operator_id","registered_at");--> statement-breakpoint
CREATE INDEX "agents_platform" ON "agents" USING btree ("platform_id") WHERE "agents"."platform_id" is not null;--> statement-breakpoint
CREATE INDEX "agents_search" ON "agents" USING gin ("search");--> statement-breakpoint
CREATE INDEX "agents_name_trigrams" ON "agents" USING gin ("name" gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "agents_specializations" ON "agents" USING gin ("specializations");--> statement-breakpoint
CREATE INDEX "agents_deactivated" ON "agents" USING btree ("id") WHERE "agents"."status" = 'deactivated';--> statement-breakpoint
CREATE INDEX "agents_verified" ON "agents" USING btree ("id") WHERE "agents"."ownership_status" = 'verified';--> statement-breakpoint
CREATE UNIQUE INDEX "api_keys_prefix" ON "api_keys" USING btree ("key_prefix");--> statement-breakpoint
CREATE INDEX "api_keys_operator" ON "api_keys" USING btree ("operator_id");--> statement-breakpoint
CREATE INDEX "audit_log_operator" ON "audit_log" USING btree ("operator_id","created_at");--> statement-breakpoint
CREATE INDEX "idempotency_keys_created" ON "idempotency_keys" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "incidents_agent" ON "incidents" USING btree ("agent_id","created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "kyc_checks_session" ON "kyc_checks" USING btree ("provider_session_id");--> statement-breakpoint
CREATE UNIQUE INDEX "kyc_checks_event" ON "kyc_checks" USING btree ("provider_event_id");--> statement-breakpoint
CREATE UNIQUE INDEX "kyc_checks_pending" ON "kyc_checks" USING btree ("operator_id") WHERE "kyc_checks"."status" = 'pending';--> statement-breakpoint
CREATE INDEX "kyc_checks_operator" ON "kyc_checks" USING btree ("operator_id","created_at");--> statement-breakpoint
CREATE INDEX "notifications_operator" ON "notifications" USING btree ("operator_id","created_at");--> statement-breakpoint
CREATE INDEX "notifications_created" ON "notifications" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "notifications_unread" ON "notifications" USING btree ("operator_id") WHERE "notifications"."read_at" is null;--> statement-breakpoint
CREATE UNIQUE INDEX "operators_identity" ON "operators" USING btree ("issuer","subject");--> statement-breakpoint
CREATE INDEX "operators_email" ON "operators" USING btree ("email");--> statement-breakpoint
CREATE INDEX "operators_kyc_expiry" ON "operators" USING btree ("kyc_expires_at") WHERE "operators"."kyc_status" = 'verified';--> statement-breakpoint
CREATE UNIQUE INDEX "platforms_slug" ON "platforms" USING btree ("slug");--> statement-breakpoint
CREATE INDEX "platforms_operator" ON "platforms" USING btree ("operator_id");--> statement-breakpoint
CREATE INDEX "sessions_operator" ON "sessions" USING btree ("operator_id","created_at");--> statement-breakpoint
CREATE INDEX "sessions_over" ON "sessions" USING btree (least("ended_at", "expires_at"));--> statement-breakpoint
CREATE INDEX "webhook_deliveries_platform" ON "webhook_deliveries" USING btree ("platform_id","created_at");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_due" ON "webhook_deliveries" USING btree ("next_attempt_at") WHERE "webhook_deliveries"."status" = 'pending';--> statement-breakpoint
CREATE INDEX "webhook_deliveries_event" ON "webhook_deliveries" USING btree ("event_id");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_created" ON "webhook_deliveries" USING btree ("created_at") WHERE "webhook_deliveries"."status" <> 'pending';--> statement-breakpoint
CREATE INDEX "webhook_events_created" ON "webhook_events" USING btree ("created_at");