-- Names of the tokens that operators make for programs, and what the last look for a pending domain proof found.
-- Locks: ACCESS EXCLUSIVE on each table for a moment (no default, so that no row is written).
ALTER TABLE "ownership_challenges" ADD COLUMN "finding" text;--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "name" text;
