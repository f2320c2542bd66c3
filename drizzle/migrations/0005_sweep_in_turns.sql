-- The sweep asks each platform in turn for what is overdue. The Worker before this one still finds its rows, slower.
-- Locks: writers of webhook_deliveries wait for the build, one scan of the table.
CREATE INDEX "webhook_deliveries_waiting" ON "webhook_deliveries" USING btree ("platform_id","next_attempt_at") WHERE "webhook_deliveries"."status" = 'pending';--> statement-breakpoint
DROP INDEX "webhook_deliveries_due";
