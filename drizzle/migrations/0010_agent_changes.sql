-- How often an agent was changed on a UTC day: each change is a leaf of the transparency log, which keeps it.
-- Locks: ACCESS EXCLUSIVE for a moment (the defaults are constants, so that no row is written).
ALTER TABLE "agents"
	ADD COLUMN "changed_day" date,
	ADD COLUMN "changes" integer DEFAULT 0 NOT NULL;
