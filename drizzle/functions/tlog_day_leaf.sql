-- The leaf of a day of an agent: its rollup rows, its open outages, the last event up to the end of the day, the
-- totals at the end of the day, and the score of the day. The totals are added up from what they count, not from counters.
--
-- p_agent: agent id; p_reg: agent number; p_day: the UTC day; p_rev: revision, from 1
-- Returns: one JSON object in ASCII. Locks: none.
CREATE OR REPLACE FUNCTION tlog_day_leaf(p_agent uuid, p_reg text, p_day date, p_rev integer) RETURNS text
LANGUAGE sql STABLE AS $$
  SELECT '{"v":1,"kind":"day","reg":"' || p_reg || '","day":"' || p_day || '","rev":' || p_rev
    || (SELECT ',"seq":' || t.seq || ',"totals":{"events":' || t.seq
      FROM (SELECT first_seq(p_agent, s.events, (p_day + 1)::timestamp AT TIME ZONE 'utc') - 1 AS seq
        FROM agent_stats s WHERE s.agent_id = p_agent) t)
    || (SELECT ',"tasks_completed":' || coalesce(sum(d.completed), 0) || ',"tasks_failed":' || coalesce(sum(d.failed), 0)
      FROM agent_evidence d WHERE d.agent_id = p_agent AND d.day <= p_day)
    || (SELECT ',"incident_count":' || count(*)
      FROM incidents i WHERE i.agent_id = p_agent AND i.created_at < (p_day + 1)::timestamp AT TIME ZONE 'utc')
    || '},"open_outages":' || (SELECT open_outages(s, p_day) FROM agent_stats s WHERE s.agent_id = p_agent) || ',"rows":[' || coalesce((SELECT string_agg('["' || d.day || '","' || d.source || '",' || concat_ws(',', d.events,
        d.completed, d.failed, d.graded_count, d.graded_milli, d.latency_count, d.latency_satisfied,
        d.latency_tolerating, d.incidents_info, d.incidents_warning, d.incidents_error, d.incidents_critical,
        d.down_seconds) || ']', ',' ORDER BY d.source)
      FROM agent_evidence d WHERE d.agent_id = p_agent AND d.day = p_day), '') || '],"score":'
    || coalesce((SELECT '{"overall":"' || h.overall || '","reliability":"' || h.reliability || '","accuracy":"'
        || h.accuracy || '","safety":"' || h.safety || '","speed":"' || h.speed || '","consistency":"' || h.consistency
        || '","events":' || h.events_considered || ',"alg":"' || h.algorithm_version || '","inputs":"'
        || h.inputs_sha256 || '"}'
      FROM trust_scores h WHERE h.agent_id = p_agent AND h.day = p_day), 'null') || '}'
$$;
