-- The bytes of the leaf of an event. The same arguments always give the same bytes.
--
-- p_reg: agent number; p_event: the stored event; p_seed: seed of the leaf's batch; p_index: index of the leaf;
-- p_erased: the commitment to erased metadata, null if the metadata is stored
-- Returns: one JSON object in ASCII. Locks: none.
CREATE OR REPLACE FUNCTION tlog_event_leaf(
  p_reg text, p_event activity_events, p_seed bytea, p_index bigint, p_erased text
) RETURNS bytea LANGUAGE sql STABLE AS $$
  SELECT convert_to('{"v":1,"kind":"event","reg":"' || p_reg || '","seq":' || p_event.seq || ',"c":"'
    || tlog_commit(tlog_salt(p_seed, 'f', p_index), tlog_event_facts_v1(p_event,
      coalesce(p_erased, tlog_commit(tlog_salt(p_seed, 'm', p_index), p_event.metadata::text)))) || '"}', 'UTF8')
$$;
