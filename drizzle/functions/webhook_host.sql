-- The host of a webhook URL: all deliveries of an operator to it share one flow.
--
-- Returns: the host in lowercase, without a port; null without a URL. Locks: none. It must remain a single expression, so
-- that it is inlined.
CREATE OR REPLACE FUNCTION webhook_host(p_url text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT substring(lower(p_url) from '^https?://([^/?#:]+)') $$
