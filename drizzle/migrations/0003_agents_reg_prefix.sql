-- Finds numbers by their beginning, for search. Locks: agents is closed to writes while the index is built, and no two
-- agents can take the same number meanwhile: the slots hand each out once.
DROP INDEX "agents_reg";--> statement-breakpoint
CREATE UNIQUE INDEX "agents_reg" ON "agents" USING btree ("reg" text_pattern_ops);