-- Each index of the log is paid by every event: of four B-trees two stay. A time is found along "seq", which it never
-- falls along (the function first_seq); an id carries its moment, so a BRIN index finds the pages written around it.
-- No two events have one id: it is drawn at random by the Worker, and no row refers to it by a key.
-- Locks: indexes are built and dropped CONCURRENTLY; the ALTER takes ACCESS EXCLUSIVE for a moment, as the unique index
-- that becomes the key is there already.
CREATE INDEX CONCURRENTLY "activity_events_id" ON "activity_events" USING brin ("id") WITH (autosummarize=true);
--> statement-breakpoint
ALTER TABLE "activity_events" DROP CONSTRAINT "activity_events_pkey",
	ADD CONSTRAINT "activity_events_agent_id_seq_pk" PRIMARY KEY USING INDEX "activity_events_agent_seq";
--> statement-breakpoint
DROP INDEX CONCURRENTLY "activity_events_agent_time";
--> statement-breakpoint
-- The agents of an operator are counted and added up from the index alone.
CREATE INDEX CONCURRENTLY "agents_operator_next" ON "agents" USING btree ("operator_id","registered_at","id");
--> statement-breakpoint
DROP INDEX CONCURRENTLY "agents_operator";
--> statement-breakpoint
ALTER INDEX "agents_operator_next" RENAME TO "agents_operator";
