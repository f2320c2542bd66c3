-- The data of a webhook event as it is sent or shown: with substitutes for texts that are withheld by now. Incidents are
-- not changed, because the platform can read their events.
--
-- p_data: as stored
-- Returns: the data; withheld names the fields with a substitute, if there are any. Locks: none.
CREATE OR REPLACE FUNCTION sent_data(p_data jsonb) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT p_data || coalesce((
    SELECT jsonb_object_agg(t.key, t.value) || jsonb_build_object('withheld', jsonb_agg(t.key))
    FROM (
      SELECT to_jsonb(s) AS texts, s.withheld
      FROM agents a JOIN operators o ON o.id = a.operator_id CROSS JOIN LATERAL public_agent(a, o) s
      WHERE a.reg = p_data ->> 'reg' AND p_data ? 'name'
      UNION ALL
      SELECT jsonb_build_object('operator_name', s.name, 'operator_name_verified', s.name_verified),
        '{operator_name,operator_name_verified}'::text[]
      FROM operators o CROSS JOIN LATERAL public_operator(o) s
      WHERE o.id = (p_data ->> 'operator_id')::uuid AND s.withheld IS NOT NULL
    ) w CROSS JOIN jsonb_each(w.texts) t
    WHERE t.key = ANY (w.withheld) AND p_data ? t.key
  ), '{}')
$$;
