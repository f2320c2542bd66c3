-- A delivery knows the type of its event: lists by a rare type are a range, not the platform's 30 days. The Worker before
-- this one makes rows without it, for which the list asks the event; so it may be null, and those rows go in 30 days.
-- Locks: the column is added by catalogue alone, but keeps all from webhook_deliveries until the end of the migration:
-- one update of every row, and one scan for the index.
ALTER TABLE "webhook_deliveries" ADD COLUMN "type" text;--> statement-breakpoint
UPDATE "webhook_deliveries" d SET "type" = e."type" FROM "webhook_events" e WHERE e."id" = d."event_id";--> statement-breakpoint
CREATE INDEX "webhook_deliveries_type" ON "webhook_deliveries" USING btree ("platform_id","type","created_at");
