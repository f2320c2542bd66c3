-- Whether texts are withheld from everyone except their operator.
--
-- p_status: status of the operator; p_withheld_at: when an administrator withheld the texts of the agent or platform
-- Returns: whether they are; null if the status is unknown and nothing was withheld. Locks: none.
CREATE OR REPLACE FUNCTION texts_withheld(p_status text, p_withheld_at timestamptz) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT p_status = 'suspended' OR p_withheld_at IS NOT NULL
$$;
