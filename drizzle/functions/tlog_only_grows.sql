-- Stored leaves, hashes and sizes only grow, also for the owner: a tile and a bundle at their end, the size by more leaves.
-- The texts of an agent or incident may be erased.
CREATE OR REPLACE FUNCTION tlog_only_grows() RETURNS trigger LANGUAGE plpgsql AS $$
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
      IF NEW.texts IS NULL AND to_jsonb(NEW) - 'texts' = to_jsonb(OLD) - 'texts' THEN RETURN NEW; END IF;
    END IF;
  END IF;
  RAISE EXCEPTION '% only grows: % is refused', TG_TABLE_NAME, TG_OP USING ERRCODE = 'insufficient_privilege';
END $$;
