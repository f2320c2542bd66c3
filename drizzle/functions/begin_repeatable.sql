-- Begins a write whose response is stored for repeats: waits for concurrent ones of the same share, then rejects it if it
-- is new and the responses of the day have used up the share. Each share, the requests whose scope begins with the same
-- of 16 digits, has a sixteenth of the quota, so that not all writes of an operator wait for each other.
--
-- p_operator: operator id; p_scope: of the request; p_since: only a response after this time is returned to repeats;
-- p_today: the UTC day; p_bytes_max: the quota of the operator
-- Returns: nothing; requires STORED_RESPONSES. Locks: an advisory lock on the share until the end of the transaction.
CREATE OR REPLACE FUNCTION begin_repeatable(
  p_operator uuid, p_scope text, p_since timestamptz, p_today date, p_bytes_max bigint
) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended(p_operator || left(p_scope, 1), 0));
  PERFORM require(
    NOT EXISTS (SELECT FROM idempotency_usage u WHERE u.operator_id = p_operator AND u.share = left(p_scope, 1)
      AND of_today(u.day, p_today, u.bytes) >= p_bytes_max / 16)
    OR EXISTS (SELECT FROM idempotency_keys k WHERE k.scope = p_scope AND k.created_at > p_since),
    'STORED_RESPONSES');
END $$;
