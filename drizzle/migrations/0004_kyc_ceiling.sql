-- The ceiling on identity checks, and the domains of an operator's public record as a range of an index.
-- Locks: the ALTERs take ACCESS EXCLUSIVE on operators for a moment (the default is not written to rows). The index is
-- built under SHARE on agents: registrations and changes wait, some seconds at a million agents; reports go on.
ALTER TABLE "operators" ADD COLUMN "kyc_day" date;--> statement-breakpoint
ALTER TABLE "operators" ADD COLUMN "kyc_opened" smallint DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX "agents_operator_domains" ON "agents" USING btree ("operator_id","domain") WHERE "agents"."domain" is not null and "agents"."status" = 'active';
