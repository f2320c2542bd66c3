-- /ready tells how many migrations the database has: the Worker may read that, and nothing else of the schema.
-- Locks: none.
GRANT USAGE ON SCHEMA drizzle TO registry_worker;
--> statement-breakpoint
GRANT SELECT ON drizzle.__drizzle_migrations TO registry_worker;
