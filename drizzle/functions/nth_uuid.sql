-- One of several ids for the same time, which ascend with p_nth.
--
-- p_id: a UUIDv7 of the time; p_nth: below 2^20
-- Returns: a UUIDv7 whose random bits begin with p_nth; the last 40 are random.
CREATE OR REPLACE FUNCTION nth_uuid(p_id uuid, p_nth bigint) RETURNS uuid LANGUAGE sql VOLATILE AS $$
  SELECT (left(replace(p_id::text, '-', ''), 17) || lpad(to_hex(p_nth), 5, '0') || right(gen_random_uuid()::text, 10))::uuid
$$;
