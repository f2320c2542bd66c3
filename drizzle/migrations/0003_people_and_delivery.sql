-- Ownership proofs, resolutions, secret rotation, auto-disable, platform keys, the daily recompute, weekly digests.
-- Locks: columns without a computed default are added by catalogue alone; the index builds keep writers of
-- agent_stats, operators, notifications and webhook_deliveries waiting for one scan of the table each, and the
-- indexes of columns that are new are empty.
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
ALTER TABLE "agent_daily" ADD COLUMN "platform_events" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "agent_stats" ADD COLUMN "scored_day" date;--> statement-breakpoint
ALTER TABLE "agent_stats" ADD COLUMN "trust_level" smallint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "platform_id" uuid;--> statement-breakpoint
ALTER TABLE "incidents" ADD COLUMN "resolution" text;--> statement-breakpoint
ALTER TABLE "incidents" ADD COLUMN "resolved_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "operators" ADD COLUMN "digest_week" date;--> statement-breakpoint
ALTER TABLE "platforms" ADD COLUMN "previous_webhook_secret" text;--> statement-breakpoint
ALTER TABLE "platforms" ADD COLUMN "previous_webhook_secret_until" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "platforms" ADD COLUMN "failed_in_row" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "platforms" ADD COLUMN "failing_since" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "ownership_challenges" ADD CONSTRAINT "ownership_challenges_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "ownership_challenges_pending" ON "ownership_challenges" USING btree ("agent_id") WHERE "ownership_challenges"."verified_at" is null and "ownership_challenges"."ended_at" is null;--> statement-breakpoint
CREATE UNIQUE INDEX "ownership_challenges_verified" ON "ownership_challenges" USING btree ("agent_id") WHERE "ownership_challenges"."verified_at" is not null and "ownership_challenges"."ended_at" is null;--> statement-breakpoint
CREATE INDEX "ownership_challenges_due" ON "ownership_challenges" USING btree ("checked_at") WHERE "ownership_challenges"."verified_at" is not null and "ownership_challenges"."ended_at" is null;--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_platform_id_platforms_id_fk" FOREIGN KEY ("platform_id") REFERENCES "public"."platforms"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "agent_stats_scored_day" ON "agent_stats" USING btree ("scored_day") WHERE "agent_stats"."scored_day" is not null;--> statement-breakpoint
CREATE INDEX "api_keys_platform" ON "api_keys" USING btree ("platform_id") WHERE "api_keys"."platform_id" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "notifications_trust_alert" ON "notifications" USING btree ("reg",((("created_at") at time zone 'utc')::date)) WHERE "notifications"."type" = 'trust_alert';--> statement-breakpoint
CREATE INDEX "operators_digest" ON "operators" USING btree ("digest_week" NULLS FIRST);--> statement-breakpoint
CREATE INDEX "webhook_deliveries_undelivered" ON "webhook_deliveries" USING btree ("platform_id","created_at") WHERE "webhook_deliveries"."status" in ('failed', 'skipped');