-- What the page of an agent shows.
--
-- p_reg: its number; p_today: as of score_basis; p_days: how many days of history, p_window: how many before these a
-- score of them may rest on; p_incidents: how many incidents
-- Returns: {card, today, rows, earlier, scores, incidents}: what agent_profile gives, without score and rows; the last day of
-- the history, of a deactivated agent at most that of its deactivation; the rollup rows of the window and of the history,
-- as rollup_rows gives them; [day, tasks] of the days before them on which a score of the history rests; [day, overall] of
-- each score of the history and the one before it, oldest first; the newest incidents, newest first. Null when there is
-- no such agent. Locks: none.
CREATE OR REPLACE FUNCTION agent_page(
  p_reg text, p_today date, p_days integer, p_window integer, p_incidents integer
) RETURNS json LANGUAGE plpgsql STABLE AS $$
DECLARE
  agent record;
BEGIN
  SELECT a.id, least((a.deactivated_at AT TIME ZONE 'utc')::date, p_today) AS last_day INTO agent
  FROM agents a WHERE a.reg = p_reg;
  IF NOT FOUND THEN RETURN NULL; END IF;
  RETURN json_build_object('card', agent_profile(p_reg, p_today, NULL), 'today', agent.last_day,
    'rows', rollup_rows(agent.id, agent.last_day - greatest(p_days, p_window), agent.last_day),
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
    'incidents', (
      SELECT json_agg(json_build_object('title', i.title, 'severity', i.severity, 'status', i.status,
        'created_at', wire_time(i.created_at), 'resolved_at', wire_time(i.resolved_at)) ORDER BY i.created_at DESC, i.id DESC)
      FROM (
        SELECT * FROM incidents n WHERE n.agent_id = agent.id ORDER BY n.created_at DESC, n.id DESC LIMIT p_incidents
      ) i
    ));
END $$;
