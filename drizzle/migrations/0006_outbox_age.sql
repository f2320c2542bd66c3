-- The age of the outbox (/ready) is the first row of this index again, not a scan of all that is pending.
-- Locks: writers of webhook_deliveries wait for the build, one scan of the table.
CREATE INDEX "webhook_deliveries_due" ON "webhook_deliveries" USING btree ("next_attempt_at") WHERE "webhook_deliveries"."status" = 'pending';
