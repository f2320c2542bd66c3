-- ANALYZE keeps samples of a column's values, and would keep them of texts that are taken down or erased later. No
-- statement compares these columns, so the planner loses nothing.
-- Locks: SHARE UPDATE EXCLUSIVE for a moment on each table.
ALTER TABLE "activity_events" ALTER COLUMN "metadata" SET STATISTICS 0;
--> statement-breakpoint
ALTER TABLE "incidents" ALTER COLUMN "title" SET STATISTICS 0, ALTER COLUMN "description" SET STATISTICS 0,
	ALTER COLUMN "resolution" SET STATISTICS 0;
--> statement-breakpoint
ALTER TABLE "notifications" ALTER COLUMN "title" SET STATISTICS 0, ALTER COLUMN "body" SET STATISTICS 0;
--> statement-breakpoint
ALTER TABLE "webhook_events" ALTER COLUMN "data" SET STATISTICS 0;
--> statement-breakpoint
ALTER TABLE "webhook_attempts" ALTER COLUMN "response_excerpt" SET STATISTICS 0, ALTER COLUMN "error" SET STATISTICS 0;
--> statement-breakpoint
ALTER TABLE "idempotency_keys" ALTER COLUMN "answer" SET STATISTICS 0;
--> statement-breakpoint
ALTER TABLE "tlog_outbox" ALTER COLUMN "facts" SET STATISTICS 0;
--> statement-breakpoint
ALTER TABLE "tlog_facts" ALTER COLUMN "facts" SET STATISTICS 0;
