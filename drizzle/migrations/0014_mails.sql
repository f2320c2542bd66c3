-- Notifications that go out by mail as well, and what an operator wants of that. A mail has no texts of its own: what is
-- taken down in its notification is not sent either.
-- Locks: ACCESS EXCLUSIVE on operators for a moment (the defaults are constants, so that no row is written); SHARE ROW
-- EXCLUSIVE on operators and notifications for a moment, as the new table refers to them.
CREATE TABLE "mails" (
	"id" uuid PRIMARY KEY NOT NULL,
	"operator_id" uuid NOT NULL,
	"type" text NOT NULL,
	"reg" text,
	"status" text DEFAULT 'pending' NOT NULL,
	"attempts" smallint DEFAULT 0 NOT NULL,
	"lease_until" timestamp (3) with time zone,
	"next_attempt_at" timestamp (3) with time zone,
	"published_at" timestamp (3) with time zone,
	"publish_count" smallint DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"sent_at" timestamp (3) with time zone,
	"error" text
);
--> statement-breakpoint
ALTER TABLE "operators" ADD COLUMN "mail_unsubscribed" text[] DEFAULT '{}'::text[] NOT NULL;--> statement-breakpoint
ALTER TABLE "operators" ADD COLUMN "mail_refused_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "mails" ADD CONSTRAINT "mails_id_notifications_id_fk" FOREIGN KEY ("id") REFERENCES "public"."notifications"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mails" ADD CONSTRAINT "mails_operator_id_operators_id_fk" FOREIGN KEY ("operator_id") REFERENCES "public"."operators"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "mails_operator" ON "mails" USING btree ("operator_id","created_at");--> statement-breakpoint
CREATE INDEX "mails_pending" ON "mails" USING btree ("next_attempt_at") WHERE "mails"."status" = 'pending';--> statement-breakpoint
CREATE INDEX "mails_created" ON "mails" USING btree ("created_at");--> statement-breakpoint
GRANT SELECT, INSERT, UPDATE, DELETE ON mails TO registry_worker;
