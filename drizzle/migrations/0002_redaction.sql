-- Redaction of events.
-- Locks: the column takes ACCESS EXCLUSIVE for a moment (its default is a constant, so that no row is written);
-- the index is built CONCURRENTLY.
ALTER TABLE "incidents" ADD COLUMN "redacted" boolean DEFAULT false NOT NULL;--> statement-breakpoint
-- A redaction finds what was told of an incident; only incident events are in it.
CREATE INDEX CONCURRENTLY "webhook_events_incident" ON "webhook_events" USING btree (("data" ->> 'incident_id')) WHERE "webhook_events"."type" in ('incident.created', 'incident.resolved');