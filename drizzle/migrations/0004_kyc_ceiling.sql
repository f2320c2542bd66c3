-- The ceiling on identity checks, and the domains of an operator's public record as a range of an index.
-- Locks: the ALTER takes ACCESS EXCLUSIVE on operators for a moment (the default is not written to rows).
ALTER TABLE "operators"
	ADD COLUMN "kyc_day" date,
	ADD COLUMN "kyc_opened" smallint DEFAULT 0 NOT NULL;
--> statement-breakpoint
CREATE INDEX CONCURRENTLY "agents_operator_domains" ON "agents" USING btree ("operator_id","domain") WHERE "agents"."domain" is not null and "agents"."status" = 'active';
