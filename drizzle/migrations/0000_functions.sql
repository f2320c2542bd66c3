-- What the tables of the next migration rest on: pg_trgm for typo help in search, and two immutable functions.
CREATE EXTENSION IF NOT EXISTS pg_trgm;
--> statement-breakpoint
-- What a search looks at: number and name weigh A, specializations B, the description C.
CREATE FUNCTION agent_search(reg text, name text, specializations text[], description text) RETURNS tsvector
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT setweight(to_tsvector('pg_catalog.simple', replace(reg, '-', ' ') || ' ' || name), 'A')
    || setweight(to_tsvector('pg_catalog.simple', array_to_string(specializations, ' ')), 'B')
    || setweight(to_tsvector('pg_catalog.simple', description), 'C')
$$;
--> statement-breakpoint
-- The check character of an agent number (ISO/IEC 7064, MOD 37,36); its twin in TypeScript is checkCharacter.
CREATE FUNCTION agent_number(year integer, block integer, number integer) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  digits text := lpad(year::text, 4, '0') || lpad(block::text, 4, '0') || lpad(number::text, 4, '0');
  product integer := 36;
BEGIN
  -- Asked of the numbers: lpad cuts what is too long.
  IF greatest(year, block, number) > 9999 THEN
    RAISE EXCEPTION 'agent numbers of the year % are used up', year USING ERRCODE = 'program_limit_exceeded';
  END IF;
  FOR i IN 1..12 LOOP
    product := (product + substr(digits, i, 1)::integer) % 36;
    IF product = 0 THEN product := 36; END IF;
    product := (product * 2) % 37;
  END LOOP;
  RETURN format('REG-%s-%s-%s-%s', substr(digits, 1, 4), substr(digits, 5, 4), substr(digits, 9, 4),
    substr('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ', (37 - product) % 36 + 1, 1));
END $$;
