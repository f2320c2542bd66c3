-- Queues a leaf when a platform is registered, established, distrusted, trusted again, or retired, with the rights of the
-- owner.
CREATE OR REPLACE FUNCTION tlog_platform_changed() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM tlog_queue_state('platform', NEW.slug, NEW.operator_id, 'registered', NEW.created_at, NULL);
    RETURN NULL;
  END IF;
  IF NEW.established_at IS DISTINCT FROM OLD.established_at AND NEW.established_at IS NOT NULL THEN
    PERFORM tlog_queue_state('platform', NEW.slug, NEW.operator_id, 'established', NEW.established_at, NEW.established_by);
  END IF;
  IF (NEW.distrusted_at IS NULL) <> (OLD.distrusted_at IS NULL) THEN
    PERFORM tlog_queue_state('platform', NEW.slug, NEW.operator_id,
      CASE WHEN NEW.distrusted_at IS NULL THEN 'trusted' ELSE 'distrusted' END, coalesce(NEW.distrusted_at, now()), NULL);
  END IF;
  IF NEW.status = 'retired' AND OLD.status <> 'retired' THEN
    PERFORM tlog_queue_state('platform', NEW.slug, NEW.operator_id, 'retired', now(), NULL);
  END IF;
  RETURN NULL;
END $$;
