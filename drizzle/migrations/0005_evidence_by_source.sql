-- Rollup rows by source: whose word the reports of a day are.
-- Scores and rollups of before go; with "npm run trust:rebuild" they are made anew from the log. The functions of before
-- write to a table that goes: made before the first deployment, it is the one migration that a running service would feel.
-- Locks: ACCESS EXCLUSIVE for a moment on each table that is altered (no row is written); the new index is built
-- CONCURRENTLY, and scores are taken back in pages.
CREATE TYPE "public"."report_source" AS ENUM('self', 'peer', 'independent');
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
	CONSTRAINT "agent_evidence_agent_id_day_source_pk" PRIMARY KEY("agent_id","day","source")
);
--> statement-breakpoint
ALTER TABLE agent_evidence SET (fillfactor = 70);
--> statement-breakpoint
GRANT SELECT, INSERT, UPDATE ON agent_evidence TO registry_worker;
--> statement-breakpoint
DROP TABLE "agent_daily";
--> statement-breakpoint
-- Its result has one column less.
DROP FUNCTION IF EXISTS lifecycle_step;
--> statement-breakpoint
-- What is stored was reported before anybody was known: the word of its operator. The default is not written to rows.
ALTER TABLE "activity_events" ADD COLUMN "source" "report_source" DEFAULT 'self' NOT NULL;
--> statement-breakpoint
TRUNCATE trust_scores;
--> statement-breakpoint
-- in pages
UPDATE "agent_stats" SET "scored_day" = NULL, "trust_score_overall" = NULL, "trust_level" = 0,
	"unscored_since" = coalesce("unscored_since", "last_active_at")
WHERE "agent_id" IN (SELECT "agent_id" FROM "agent_stats"
	WHERE "scored_day" IS NOT NULL OR "trust_score_overall" IS NOT NULL OR "trust_level" > 0 LIMIT 1000);
--> statement-breakpoint
-- They count all incidents of the minute, where they counted those that were told.
ALTER TABLE "agent_stats" RENAME COLUMN "incidents_told" TO "minute_incidents";
--> statement-breakpoint
ALTER TABLE "agent_stats" RENAME COLUMN "criticals_told" TO "minute_criticals";
--> statement-breakpoint
ALTER TABLE "platforms"
	ADD COLUMN "established_at" timestamp (3) with time zone,
	ADD COLUMN "distrusted_at" timestamp (3) with time zone,
	ADD COLUMN "judged_day" date;
--> statement-breakpoint
CREATE INDEX CONCURRENTLY "platforms_unestablished" ON "platforms" USING btree ("judged_day") WHERE "platforms"."established_at" is null and "platforms"."status" = 'active';
