-- The transparency log: a tree over all that is recorded, from which nothing can be taken or changed unseen.
-- What is stored already is taken in by the job (tlog_mark), agent by agent: no row of a large table is written here.
-- Locks: ACCESS EXCLUSIVE for a moment on agent_stats, agents and redactions (the defaults are constants), SHARE ROW
-- EXCLUSIVE for a moment where a trigger is made; the index on agent_stats is built CONCURRENTLY. Until the functions
-- follow, reports are stored without a mark, which the job finds too.
CREATE TABLE "tlog_batches" (
	"first_index" bigint PRIMARY KEY NOT NULL,
	"leaves" integer NOT NULL,
	"seed" "bytea" NOT NULL,
	"sequenced_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "tlog_bundles" (
	"n" bigint PRIMARY KEY NOT NULL,
	"entries" "bytea" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "tlog_days" (
	"day" date NOT NULL,
	"agent_id" uuid NOT NULL,
	CONSTRAINT "tlog_days_day_agent_id_pk" PRIMARY KEY("day","agent_id")
);
--> statement-breakpoint
CREATE TABLE "tlog_facts" (
	"index" bigint PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"agent_id" uuid,
	"subject" text NOT NULL,
	"rev" integer NOT NULL,
	"facts" text
);
--> statement-breakpoint
CREATE TABLE "tlog_heads" (
	"day" date PRIMARY KEY NOT NULL,
	"size" bigint NOT NULL,
	"root" "bytea" NOT NULL,
	"note" text NOT NULL,
	"cosignatures" text DEFAULT '' NOT NULL,
	"signed_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "tlog_outbox" (
	"kind" text NOT NULL,
	"subject" text NOT NULL,
	"rev" integer NOT NULL,
	"agent_id" uuid,
	"facts" text NOT NULL,
	CONSTRAINT "tlog_outbox_kind_subject_rev_pk" PRIMARY KEY("kind","subject","rev")
);
--> statement-breakpoint
CREATE TABLE "tlog_ranges" (
	"agent_id" uuid NOT NULL,
	"first_seq" bigint NOT NULL,
	"first_index" bigint NOT NULL,
	"leaves" integer NOT NULL,
	CONSTRAINT "tlog_ranges_agent_id_first_seq_pk" PRIMARY KEY("agent_id","first_seq")
);
--> statement-breakpoint
CREATE TABLE "tlog_state" (
	"one" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"size" bigint DEFAULT 0 NOT NULL,
	"paused" text,
	"marked_agent" uuid,
	CONSTRAINT "tlog_state_one" CHECK ("tlog_state"."one")
);
--> statement-breakpoint
CREATE TABLE "tlog_tiles" (
	"level" smallint NOT NULL,
	"n" bigint NOT NULL,
	"hashes" "bytea" NOT NULL,
	CONSTRAINT "tlog_tiles_level_n_pk" PRIMARY KEY("level","n")
);
--> statement-breakpoint
CREATE INDEX "tlog_facts_agent" ON "tlog_facts" USING btree ("agent_id","index");
--> statement-breakpoint
CREATE INDEX "tlog_facts_subject" ON "tlog_facts" USING btree ("kind","subject","rev");
--> statement-breakpoint
CREATE INDEX "tlog_heads_size" ON "tlog_heads" USING btree ("size");
--> statement-breakpoint
INSERT INTO tlog_state DEFAULT VALUES;
--> statement-breakpoint
-- Hashes do not shrink.
ALTER TABLE tlog_tiles ALTER hashes SET STORAGE EXTERNAL;
--> statement-breakpoint
ALTER TABLE "agent_stats"
	ADD COLUMN "logged_events" bigint DEFAULT 0 NOT NULL,
	ADD COLUMN "unlogged_since" timestamp (3) with time zone;
--> statement-breakpoint
ALTER TABLE "agents" ADD COLUMN "revision" integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
-- The commitment of the log, which nobody can guess, takes the place of a bare hash, which can be tried.
ALTER TABLE "redactions" ADD COLUMN "metadata_commitment" text, DROP COLUMN "metadata_sha256";
--> statement-breakpoint
CREATE INDEX CONCURRENTLY "agent_stats_unlogged" ON "agent_stats" USING btree ("unlogged_since","agent_id") WHERE "agent_stats"."unlogged_since" is not null;
--> statement-breakpoint
-- What is stored may only grow at its end, also by the hand of the owner: a tile and a bundle by what follows, the size
-- by more leaves. What an incident's or agent's leaf commits to may be erased.
CREATE FUNCTION tlog_only_grows() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- Nested: one expression would ask each row for the columns of all tables.
  IF TG_OP = 'UPDATE' THEN
    IF TG_TABLE_NAME = 'tlog_tiles' THEN
      IF (NEW.level, NEW.n) = (OLD.level, OLD.n) AND substr(NEW.hashes, 1, length(OLD.hashes)) = OLD.hashes THEN
        RETURN NEW;
      END IF;
    ELSIF TG_TABLE_NAME = 'tlog_bundles' THEN
      IF NEW.n = OLD.n AND substr(NEW.entries, 1, length(OLD.entries)) = OLD.entries THEN RETURN NEW; END IF;
    ELSIF TG_TABLE_NAME = 'tlog_state' THEN
      IF NEW.size >= OLD.size THEN RETURN NEW; END IF;
    ELSIF TG_TABLE_NAME = 'tlog_heads' THEN
      IF NEW.day = OLD.day AND NEW.size >= OLD.size AND (NEW.size > OLD.size OR NEW.root = OLD.root) THEN RETURN NEW; END IF;
    ELSIF TG_TABLE_NAME = 'tlog_facts' THEN
      IF NEW.facts IS NULL AND to_jsonb(NEW) - 'facts' = to_jsonb(OLD) - 'facts' THEN RETURN NEW; END IF;
    END IF;
  END IF;
  RAISE EXCEPTION '% only grows: % is refused', TG_TABLE_NAME, TG_OP USING ERRCODE = 'insufficient_privilege';
END $$;
--> statement-breakpoint
DO $$
DECLARE t text;
BEGIN
  FOREACH t IN ARRAY '{tlog_state,tlog_tiles,tlog_bundles,tlog_batches,tlog_ranges,tlog_facts,tlog_heads}'::text[] LOOP
    EXECUTE format('CREATE TRIGGER %1$s_grows BEFORE UPDATE OR DELETE ON %1$s FOR EACH ROW EXECUTE FUNCTION tlog_only_grows();
      CREATE TRIGGER %1$s_stays BEFORE TRUNCATE ON %1$s EXECUTE FUNCTION tlog_only_grows();
      ALTER TABLE %1$s ENABLE ALWAYS TRIGGER %1$s_grows;
      ALTER TABLE %1$s ENABLE ALWAYS TRIGGER %1$s_stays', t);
  END LOOP;
END $$;
--> statement-breakpoint
-- A link as everybody sees it: null unless its host is the proved domain, or below it.
CREATE FUNCTION public_link(p_url text, p_domain text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT p_url FROM (SELECT substring(p_url FROM '^https?://([^/:?#]+)') AS host) u
  WHERE u.host = p_domain OR right(u.host, length(p_domain) + 1) = '.' || p_domain
$$;
--> statement-breakpoint
-- What the leaf of an agent's revision commits to: what its profile says of it, by the names of the wire.
CREATE FUNCTION agent_facts(p_agent agents) RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (
    SELECT '{"reg":"' || p_agent.reg || '","name":' || to_json(p_agent.name) || ',"description":' || to_json(p_agent.description)
      || ',"class":"' || p_agent.class || '","status":"' || p_agent.status || '","ownership_status":"'
      || p_agent.ownership_status || '","ownership_verified_at":'
      || coalesce(to_json(wire_time(p_agent.ownership_verified_at))::text, 'null')
      || ',"domain":' || coalesce(to_json(p_agent.domain)::text, 'null')
      || ',"homepage_url":' || coalesce(to_json(public_link(p_agent.homepage_url, p_agent.domain))::text, 'null')
      || ',"card_url":' || coalesce(to_json(public_link(p_agent.card_url, p_agent.domain))::text, 'null')
      || ',"specializations":' || to_json(p_agent.specializations)
      || ',"platform_slug":' || coalesce((SELECT to_json(p.slug)::text FROM platforms p WHERE p.id = p_agent.platform_id), 'null')
      || ',"platform_state":' || coalesce(to_json(p_agent.platform_state)::text, 'null')
      || ',"platform_since":' || coalesce(to_json(wire_time(p_agent.platform_since))::text, 'null')
      || ',"registered_at":"' || wire_time(p_agent.registered_at) || '"}'
  );
END $$;
--> statement-breakpoint
-- What the leaf of an incident commits to: what its list shows, by the names of the wire.
CREATE FUNCTION incident_facts(p_incident incidents) RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (
    SELECT '{"incident_id":"' || p_incident.id || '","reg":"' || a.reg || '","title":' || to_json(p_incident.title)
      || ',"severity":"' || p_incident.severity || '","status":"' || p_incident.status || '","description":'
      || to_json(p_incident.description) || ',"created_at":"' || wire_time(p_incident.created_at) || '","resolution":'
      || coalesce(to_json(p_incident.resolution)::text, 'null') || ',"resolved_at":'
      || coalesce(to_json(wire_time(p_incident.resolved_at))::text, 'null') || '}'
    FROM agents a WHERE a.id = p_incident.agent_id
  );
END $$;
--> statement-breakpoint
-- The triggers that fill the queues write where the Worker's role may not: they run as the owner.
CREATE FUNCTION tlog_agent_changed() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE facts text := agent_facts(NEW);
BEGIN
  -- An agent that the log has not taken in yet is taken in as it is then.
  IF TG_OP = 'UPDATE' THEN
    IF OLD.revision = 0 OR facts = agent_facts(OLD) THEN RETURN NEW; END IF;
  END IF;
  NEW.revision := NEW.revision + 1;
  INSERT INTO tlog_outbox (kind, subject, rev, agent_id, facts) VALUES ('agent', NEW.id, NEW.revision, NEW.id, facts);
  RETURN NEW;
END $$;
--> statement-breakpoint
CREATE TRIGGER agents_tlog BEFORE INSERT OR UPDATE ON agents FOR EACH ROW EXECUTE FUNCTION tlog_agent_changed();
--> statement-breakpoint
CREATE FUNCTION tlog_incident_changed() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO tlog_outbox (kind, subject, rev, agent_id, facts)
  VALUES ('incident', NEW.id, 1 + (NEW.status = 'resolved')::integer, NEW.agent_id, incident_facts(NEW));
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER incidents_tlog AFTER INSERT OR UPDATE OF status ON incidents FOR EACH ROW EXECUTE FUNCTION tlog_incident_changed();
--> statement-breakpoint
CREATE FUNCTION tlog_event_redacted() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO tlog_outbox (kind, subject, rev, agent_id, facts)
  SELECT 'redaction', NEW.event_id, 1, NEW.agent_id, '{"v":1,"kind":"redaction","reg":"' || a.reg || '","seq":' || e.seq
    || ',"reason":"' || NEW.reason || '","at":"' || wire_time(NEW.redacted_at) || '"}'
  FROM activity_events e JOIN agents a ON a.id = e.agent_id WHERE e.id = NEW.event_id;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER redactions_tlog AFTER INSERT ON redactions FOR EACH ROW EXECUTE FUNCTION tlog_event_redacted();
--> statement-breakpoint
-- A day that waits already is touched too: the sequencer passes over locked rows, as its snapshot is older than this score.
CREATE FUNCTION tlog_score_written() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO tlog_days (day, agent_id) SELECT day, agent_id FROM written ORDER BY day, agent_id
  ON CONFLICT (day, agent_id) DO UPDATE SET day = excluded.day;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER trust_scores_tlog_insert AFTER INSERT ON trust_scores REFERENCING NEW TABLE AS written
FOR EACH STATEMENT EXECUTE FUNCTION tlog_score_written();
--> statement-breakpoint
CREATE TRIGGER trust_scores_tlog_update AFTER UPDATE ON trust_scores REFERENCING NEW TABLE AS written
FOR EACH STATEMENT EXECUTE FUNCTION tlog_score_written();
--> statement-breakpoint
-- A rebuild of the scores takes back what it does not find.
CREATE TRIGGER trust_scores_tlog_delete AFTER DELETE ON trust_scores REFERENCING OLD TABLE AS written
FOR EACH STATEMENT EXECUTE FUNCTION tlog_score_written();
--> statement-breakpoint
GRANT SELECT ON tlog_state, tlog_tiles, tlog_bundles, tlog_heads TO registry_worker;
--> statement-breakpoint
GRANT INSERT, UPDATE ON tlog_heads TO registry_worker;
