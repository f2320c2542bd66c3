-- Queues the day of each written score. A day that is already queued is updated, too: the sequencer skips locked rows,
-- because its snapshot is older than this score.
CREATE OR REPLACE FUNCTION tlog_score_written() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO tlog_days (day, agent_id) SELECT day, agent_id FROM written ORDER BY day, agent_id
  ON CONFLICT (day, agent_id) DO UPDATE SET day = excluded.day;
  RETURN NULL;
END $$;
