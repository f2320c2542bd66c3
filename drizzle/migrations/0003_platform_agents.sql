-- A platform lists its agents by state, those that joined last first: a range of this index each.
-- Locks: the two take ACCESS EXCLUSIVE and SHARE on agents for as long as the index is built; a large table would want
-- CONCURRENTLY, outside of a transaction.
DROP INDEX "agents_platform";--> statement-breakpoint
CREATE INDEX "agents_platform" ON "agents" USING btree ("platform_id","platform_state","platform_since","id") WHERE "agents"."platform_id" is not null;
