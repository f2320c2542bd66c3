-- Locks: operators is closed to writes while operators_kyc_expiry is built, over the few that are verified.
-- kyc_checks_pending is what lets an operator have one check at a time.
CREATE TABLE "kyc_checks" (
	"id" uuid PRIMARY KEY NOT NULL,
	"operator_id" uuid NOT NULL,
	"provider" text NOT NULL,
	"provider_session_id" text NOT NULL,
	"status" text NOT NULL,
	"previous_status" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"completed_at" timestamp (3) with time zone,
	"reason" text,
	"provider_event_id" text,
	"reminded_days" smallint
);
--> statement-breakpoint
ALTER TABLE "kyc_checks" ADD CONSTRAINT "kyc_checks_operator_id_operators_id_fk" FOREIGN KEY ("operator_id") REFERENCES "public"."operators"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "kyc_checks_session" ON "kyc_checks" USING btree ("provider_session_id");--> statement-breakpoint
CREATE UNIQUE INDEX "kyc_checks_event" ON "kyc_checks" USING btree ("provider_event_id");--> statement-breakpoint
CREATE UNIQUE INDEX "kyc_checks_pending" ON "kyc_checks" USING btree ("operator_id") WHERE "kyc_checks"."status" = 'pending';--> statement-breakpoint
CREATE INDEX "kyc_checks_operator" ON "kyc_checks" USING btree ("operator_id","created_at");--> statement-breakpoint
CREATE INDEX "operators_kyc_expiry" ON "operators" USING btree ("kyc_expires_at") WHERE "operators"."kyc_status" = 'verified';
