-- Whether a person is distrusted: one of the platforms of its operators is.
--
-- p_identity: kyc_identity of an operator; null if unknown, which nobody can distrust
-- Locks: none. It reads the few platforms that are distrusted.
CREATE OR REPLACE FUNCTION is_distrusted(p_identity text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM platforms p JOIN operators o ON o.id = p.operator_id
    WHERE p.distrusted_at IS NOT NULL AND o.kyc_identity = p_identity)
$$;
