-- A link as it is shown to everyone: null unless its host is the verified domain, or below it.
CREATE OR REPLACE FUNCTION public_link(p_url text, p_domain text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT p_url FROM (SELECT substring(p_url FROM '^https?://([^/:?#]+)') AS host) u
  WHERE u.host = p_domain OR right(u.host, length(p_domain) + 1) = '.' || p_domain
$$;
