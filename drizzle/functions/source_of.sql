-- Whose word a report is, by what is known when it is stored; a test holds it against sourceOf of test/support.
--
-- p_operator: the identity that a check has found behind the agent's operator; p_reporter: behind the operator whose
-- platform reports; null where there is none, and for a key of the operator; p_is_independent: whether the platform is
-- established and not distrusted
-- Returns: self, peer or independent. Locks: none. Its callers have it inlined: it must stay one expression.
CREATE OR REPLACE FUNCTION source_of(p_operator text, p_reporter text, p_is_independent boolean) RETURNS report_source
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN p_operator <> p_reporter
    THEN CASE WHEN p_is_independent THEN 'independent'::report_source ELSE 'peer'::report_source END
    ELSE 'self'::report_source END
$$
