-- The commitment to the metadata of an event, which must be stored before the metadata is erased.
--
-- p_event: event id
-- Returns: 43 characters; null if the event is not in the transparency log yet. Locks: none.
CREATE OR REPLACE FUNCTION tlog_metadata_commitment(p_event uuid) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT tlog_commit(tlog_salt(b.seed, 'm', place.i), e.metadata::text)
  FROM activity_events e JOIN agent_stats s ON s.agent_id = e.agent_id AND e.seq <= s.logged_events
  CROSS JOIN LATERAL (SELECT r.first_index + e.seq - r.first_seq AS i FROM tlog_ranges r
    WHERE r.agent_id = e.agent_id AND r.first_seq <= e.seq ORDER BY r.first_seq DESC LIMIT 1) place
  CROSS JOIN LATERAL (SELECT x.seed FROM tlog_batches x WHERE x.first_index <= place.i
    ORDER BY x.first_index DESC LIMIT 1) b
  WHERE e.id = p_event
$$;
