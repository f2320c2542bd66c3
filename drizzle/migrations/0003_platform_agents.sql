-- A platform lists its agents by state, those that joined last first: a range of this index each.
-- Locks: none that reports or registrations wait for; the new index takes the name of the one that it replaces.
CREATE INDEX CONCURRENTLY "agents_platform_next" ON "agents" USING btree ("platform_id","platform_state","platform_since","id") WHERE "agents"."platform_id" is not null;
--> statement-breakpoint
DROP INDEX CONCURRENTLY "agents_platform";
--> statement-breakpoint
ALTER INDEX "agents_platform_next" RENAME TO "agents_platform";
