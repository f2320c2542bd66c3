-- Incidents by status, and by the time of their resolution for the digest; of what is pending, what QStash was not told
-- of and what is to be told again, each as a range: no statement reads past what others have piled up.
-- Locks: writers of incidents and of webhook_deliveries wait for two builds each, scans of the table. The Worker before
-- this one reads by the indexes that were there, which all stay.
CREATE INDEX "incidents_status" ON "incidents" USING btree ("agent_id","status","created_at","id");--> statement-breakpoint
CREATE INDEX "incidents_resolved" ON "incidents" USING btree ("agent_id","resolved_at") WHERE "incidents"."resolved_at" is not null;--> statement-breakpoint
CREATE INDEX "webhook_deliveries_unpublished" ON "webhook_deliveries" USING btree ("platform_id","next_attempt_at") WHERE "webhook_deliveries"."status" = 'pending' and "webhook_deliveries"."published_at" is null;--> statement-breakpoint
CREATE INDEX "webhook_deliveries_republish" ON "webhook_deliveries" USING btree ("platform_id",greatest("next_attempt_at" at time zone 'utc', ("published_at" at time zone 'utc')
    + make_interval(secs => 600 * power(2, least("publish_count", 10))))) WHERE "webhook_deliveries"."status" = 'pending' and "webhook_deliveries"."published_at" is not null;