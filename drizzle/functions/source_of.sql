-- The source of a report, as known when it is stored; a test compares it with sourceOf of test/support.
--
-- p_is_own: whether the agent's operator reports, with its own key or that of its platform; p_operator: the identity of
-- the agent's operator; p_reporter: the identity of the operator whose platform reports; each null if unknown, p_reporter
-- also for a key of an operator; p_is_independent: whether the platform is established and its operator is not distrusted
-- Returns: self, unproven, peer, or independent. Locks: none. It must remain a single expression, so that it is inlined.
CREATE OR REPLACE FUNCTION source_of(p_is_own boolean, p_operator text, p_reporter text, p_is_independent boolean)
RETURNS report_source LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN p_is_own OR p_reporter IS NULL OR p_operator = p_reporter THEN 'self'::report_source
    WHEN p_operator IS NULL THEN 'unproven'::report_source
    WHEN p_is_independent THEN 'independent'::report_source ELSE 'peer'::report_source END
$$;
