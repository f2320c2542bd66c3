-- The type of an event as the public sees it while the texts of its agent are withheld: a custom type is a text.
--
-- p_type: as reported
-- Returns: the type, or 'other' in place of a custom one. Locks: none.
CREATE OR REPLACE FUNCTION public_event_type(p_type text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN p_type IN ('task_completed', 'task_failed', 'error', 'incident', 'startup', 'shutdown')
    THEN p_type ELSE 'other' END
$$;
