-- The notifications of an operator in the week before a digest that were not sent by mail, because of the limits of
-- mail_allowed or because the mail failed; without types that the operator unsubscribed from.
--
-- p_operator: operator id; p_at: when the digest was made
-- Returns: an array of at most 21 objects (type; reg and agent_name, both null for none; count), agents with
-- critical incidents first, then largest counts first.
-- Only the last 10,000 notifications of the week are counted. Locks: none.
CREATE OR REPLACE FUNCTION mail_held_back(p_operator uuid, p_at timestamptz) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT coalesce(jsonb_agg(to_jsonb(h)), '[]') FROM (
    SELECT l.type, l.reg, (SELECT a.name FROM agents a WHERE a.reg = l.reg) AS agent_name, count(*)::integer AS count
    FROM (
      SELECT n.type, n.reg, n.critical FROM operators o JOIN notifications n ON n.operator_id = o.id,
        LATERAL (SELECT date_trunc('week', p_at AT TIME ZONE 'utc') AT TIME ZONE 'utc' AS began) week
      WHERE o.id = p_operator AND n.created_at >= week.began - interval '7 days' AND n.created_at < week.began
        AND n.type <> 'weekly_digest' AND n.type <> ALL (o.mail_opt_outs)
        AND (SELECT m.status FROM mails m WHERE m.id = n.id) IS DISTINCT FROM 'sent'
      ORDER BY n.created_at DESC LIMIT 10000
    ) l
    GROUP BY l.type, l.reg ORDER BY bool_or(l.critical) DESC, count DESC, l.type, l.reg LIMIT 21
  ) h
$$;
