-- What is claimed and what is proved, membership of platforms, ceilings by tier, redactions.
-- Locks: an ALTER TABLE takes ACCESS EXCLUSIVE for a moment, once a table (no default is computed, nothing is read),
-- and a new foreign key SHARE ROW EXCLUSIVE on the table that it names;
-- foreign keys and checks are made NOT VALID, then validated under SHARE UPDATE EXCLUSIVE, beside which reports go on;
-- indexes are built CONCURRENTLY; back-fills lock a page of rows at a time.
CREATE TABLE "platform_removals" (
	"agent_id" uuid NOT NULL,
	"platform_id" uuid NOT NULL,
	"removed_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "platform_removals_agent_id_platform_id_pk" PRIMARY KEY("agent_id","platform_id")
);
--> statement-breakpoint
CREATE TABLE "redactions" (
	"event_id" uuid PRIMARY KEY NOT NULL,
	"agent_id" uuid NOT NULL,
	"reason" text NOT NULL,
	"redacted_at" timestamp (3) with time zone NOT NULL,
	"metadata_sha256" text NOT NULL,
	"added" jsonb NOT NULL,
	"erased_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "platform_removals" ADD CONSTRAINT "platform_removals_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "platform_removals" ADD CONSTRAINT "platform_removals_platform_id_platforms_id_fk" FOREIGN KEY ("platform_id") REFERENCES "public"."platforms"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "redactions" ADD CONSTRAINT "redactions_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
CREATE INDEX "redactions_agent" ON "redactions" USING btree ("agent_id");
--> statement-breakpoint
ALTER TABLE "agent_stats"
	ADD COLUMN "reported_day" date,
	ADD COLUMN "own_events" integer DEFAULT 0 NOT NULL,
	ADD COLUMN "own_bytes" bigint DEFAULT 0 NOT NULL,
	ADD COLUMN "platform_events" integer DEFAULT 0 NOT NULL,
	ADD COLUMN "platform_bytes" bigint DEFAULT 0 NOT NULL,
	ADD COLUMN "incident_minute" timestamp (3) with time zone,
	ADD COLUMN "incidents_told" smallint DEFAULT 0 NOT NULL,
	ADD COLUMN "criticals_told" smallint DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE "agents"
	ADD COLUMN "platform_state" text,
	ADD COLUMN "platform_since" timestamp (3) with time zone,
	ADD COLUMN "platform_leaves_at" timestamp (3) with time zone,
	ADD COLUMN "next_platform_id" uuid,
	ADD COLUMN "name_changed_at" timestamp (3) with time zone,
	ADD COLUMN "domain" text,
	ADD COLUMN "homepage_url" text,
	ADD COLUMN "card_url" text;
--> statement-breakpoint
ALTER TABLE "notifications" ADD COLUMN "incident_id" uuid;
--> statement-breakpoint
ALTER TABLE "operators"
	ADD COLUMN "name_verified_at" timestamp (3) with time zone,
	ADD COLUMN "kyc_identity" text,
	ADD COLUMN "registrations_day" date,
	ADD COLUMN "registrations" integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE "platforms"
	ADD COLUMN "status" text DEFAULT 'active' NOT NULL,
	ADD COLUMN "admission" text DEFAULT 'open' NOT NULL,
	ADD COLUMN "answered_at" timestamp (3) with time zone,
	ADD COLUMN "unanswered_attempts" integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE "agents" ADD CONSTRAINT "agents_next_platform_id_platforms_id_fk" FOREIGN KEY ("next_platform_id") REFERENCES "public"."platforms"("id") ON DELETE no action ON UPDATE no action NOT VALID;
--> statement-breakpoint
ALTER TABLE "agents" VALIDATE CONSTRAINT "agents_next_platform_id_platforms_id_fk";
--> statement-breakpoint
CREATE INDEX CONCURRENTLY "agents_leaving" ON "agents" USING btree ("platform_leaves_at") WHERE "agents"."platform_leaves_at" is not null;
--> statement-breakpoint
CREATE INDEX CONCURRENTLY "agents_domain" ON "agents" USING btree ("domain") WHERE "agents"."domain" is not null;
--> statement-breakpoint
CREATE INDEX CONCURRENTLY "api_keys_live" ON "api_keys" USING btree ("operator_id",coalesce("expires_at", 'infinity')) WHERE "api_keys"."revoked_at" is null;
--> statement-breakpoint
CREATE INDEX CONCURRENTLY "notifications_incident" ON "notifications" USING btree ("incident_id") WHERE "notifications"."incident_id" is not null;
--> statement-breakpoint
-- Neither searches nor lists of keys are ever without an index: the new one takes the name of the one that it replaces.
CREATE INDEX CONCURRENTLY "agent_stats_ranking_next" ON "agent_stats" USING btree ("deactivated","trust_score_overall" desc nulls last,"agent_id" desc);
--> statement-breakpoint
DROP INDEX CONCURRENTLY "agent_stats_ranking";
--> statement-breakpoint
ALTER INDEX "agent_stats_ranking_next" RENAME TO "agent_stats_ranking";
--> statement-breakpoint
CREATE INDEX CONCURRENTLY "api_keys_operator_next" ON "api_keys" USING btree ("operator_id","created_at");
--> statement-breakpoint
DROP INDEX CONCURRENTLY "api_keys_operator";
--> statement-breakpoint
ALTER INDEX "api_keys_operator_next" RENAME TO "api_keys_operator";
--> statement-breakpoint
ALTER TABLE "activity_events" ADD CONSTRAINT "activity_events_metadata" CHECK (octet_length("activity_events"."metadata"::text) <= 20000) NOT VALID;
--> statement-breakpoint
ALTER TABLE "activity_events" VALIDATE CONSTRAINT "activity_events_metadata";
--> statement-breakpoint
-- in pages
-- Until now an agent was on a platform by its operator's word, from its registration on.
UPDATE "agents" SET "platform_state" = 'claimed', "platform_since" = "registered_at"
WHERE "id" IN (SELECT "id" FROM "agents" WHERE "platform_id" IS NOT NULL AND "platform_state" IS NULL LIMIT 1000);
--> statement-breakpoint
-- in pages
UPDATE "agents" a SET "domain" = c."domain" FROM "ownership_challenges" c
WHERE c."id" IN (SELECT p."id" FROM "ownership_challenges" p JOIN "agents" b ON b."id" = p."agent_id"
	WHERE p."verified_at" IS NOT NULL AND p."ended_at" IS NULL AND b."ownership_status" = 'verified' AND b."domain" IS NULL LIMIT 1000)
AND a."id" = c."agent_id";
--> statement-breakpoint
ALTER TABLE "agents" ADD CONSTRAINT "agents_domain_verified" CHECK ("agents"."domain" is null or "agents"."ownership_status" = 'verified') NOT VALID;
--> statement-breakpoint
ALTER TABLE "agents" VALIDATE CONSTRAINT "agents_domain_verified";
--> statement-breakpoint
ALTER TABLE "agents" ADD CONSTRAINT "agents_platform_state" CHECK (("agents"."platform_id" is null) = ("agents"."platform_state" is null)) NOT VALID;
--> statement-breakpoint
ALTER TABLE "agents" VALIDATE CONSTRAINT "agents_platform_state";
--> statement-breakpoint
-- Redactions are the administrator's; the Worker reads them.
GRANT SELECT, INSERT, UPDATE ON platform_removals TO registry_worker;
--> statement-breakpoint
GRANT SELECT ON redactions TO registry_worker;
