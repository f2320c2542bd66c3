-- The basis of the score of an agent, if the last snapshot of this day includes every event: the score that it computed
-- from the same rows with the same algorithm. The planner inlines it into the reads of one agent.
--
-- p_stats: the row of the agent; p_last_day: see score_basis, today; p_algorithm: the version of the algorithm
-- Returns: one object (today, score, since, open_critical); score: with the standing that follows from the same rows;
-- since: when the overall score came to be. Null if there is no such snapshot. Locks: none.
CREATE OR REPLACE FUNCTION kept_basis(p_stats agent_stats, p_last_day date, p_algorithm text) RETURNS json
LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN p_stats.unscored_since IS NULL AND p_stats.scored_day = p_last_day
      AND p_stats.kept_algorithm = p_algorithm
    THEN json_build_object('today', p_last_day, 'score', p_stats.kept_score,
      'since', wire_time(p_stats.trust_score_updated),
      'open_critical', p_stats.open_incident_count > 0 AND has_open_critical(p_stats.agent_id)) END
$$;
