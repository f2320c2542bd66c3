-- The data of the page of an agent.
--
-- p_reg: agent number; p_today: see score_basis; p_days: number of days of history; p_window: number of days before
-- each of them that its score is computed from; p_incidents: number of incidents
-- Returns: {agent, today, rows, open_outages, earlier, scores, keys, incidents}; null if there is no such agent. agent: agent_profile without
-- score and rows; today: the last day of the history, at most the day of a deactivation; rows: the rollup rows of the
-- window and the history (see rollup_rows); open_outages: of today; earlier: [day, tasks] of the days before them that scores of the history
-- are computed from; scores: [day, overall] of the history and of the score before it, oldest first; keys: those not
-- revoked or expired before p_today, oldest first; incidents: newest first.
-- Locks: none.
CREATE OR REPLACE FUNCTION agent_page(
  p_reg text, p_today date, p_days integer, p_window integer, p_incidents integer
) RETURNS json LANGUAGE plpgsql STABLE AS $$
DECLARE
  agent record;
BEGIN
  SELECT a.id, least((a.deactivated_at AT TIME ZONE 'utc')::date, p_today) AS last_day INTO agent
  FROM agents a WHERE a.reg = p_reg;
  IF NOT FOUND THEN RETURN NULL; END IF;
  RETURN json_build_object('agent', agent_profile(p_reg, p_today, NULL, NULL), 'today', agent.last_day,
    'rows', rollup_rows(agent.id, agent.last_day - greatest(p_days, p_window), agent.last_day),
    'open_outages', (SELECT open_outages(s, agent.last_day) FROM agent_stats s WHERE s.agent_id = agent.id),
    'earlier', (
      SELECT json_agg(json_build_array(e.day, e.tasks)) FROM (
        SELECT d.day, sum(d.completed + d.failed) AS tasks FROM agent_evidence d
        WHERE d.agent_id = agent.id AND d.day > agent.last_day - p_days - p_window
          AND d.day <= agent.last_day - greatest(p_days, p_window)
        GROUP BY d.day
      ) e
    ),
    'scores', (
      SELECT json_agg(json_build_array(h.day, h.overall) ORDER BY h.day) FROM trust_scores h
      WHERE h.agent_id = agent.id AND h.day <= agent.last_day AND h.day >= coalesce((
        SELECT max(b.day) FROM trust_scores b WHERE b.agent_id = agent.id AND b.day <= agent.last_day - p_days
      ), '-infinity')
    ),
    'keys', (
      SELECT json_agg(json_build_object('added_at', wire_time(k.added_at), 'expires_at', wire_time(k.expires_at)) ORDER BY k.added_at)
      FROM agent_keys k WHERE k.agent_id = agent.id AND k.revoked_at IS NULL AND coalesce(k.expires_at, 'infinity') > p_today
    ),
    'incidents', (
      SELECT json_agg(json_build_object('title', i.title, 'severity', i.severity,
        'source', i.source, 'platform', i.platform, 'created_at', wire_time(i.created_at), 'resolved_at', wire_time(i.resolved_at)) ORDER BY i.created_at DESC, i.id DESC)
      FROM (
        SELECT * FROM incidents n WHERE n.agent_id = agent.id ORDER BY n.created_at DESC, n.id DESC LIMIT p_incidents
      ) i
    ));
END $$;
