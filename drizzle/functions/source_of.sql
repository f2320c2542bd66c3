-- The source of a report, as known when it is stored; a test compares it with sourceOf of test/support.
--
-- p_operator: the identity of the agent's operator; p_reporter: the identity of the operator whose platform reports;
-- each null if unknown, and for a key of the agent's operator; p_is_independent: whether the platform is established
-- and not distrusted
-- Returns: self, peer, or independent. Locks: none. It must remain a single expression, so that it is inlined.
CREATE OR REPLACE FUNCTION source_of(p_operator text, p_reporter text, p_is_independent boolean) RETURNS report_source
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN p_operator <> p_reporter
    THEN CASE WHEN p_is_independent THEN 'independent'::report_source ELSE 'peer'::report_source END
    ELSE 'self'::report_source END
$$
