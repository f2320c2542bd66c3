-- What the tables need before they are created. Applied before the migrations; the rest of drizzle/ is applied after them.

-- Typing errors in searches: similarity of words, and the operator class of the index agents_name_trigrams.
CREATE EXTENSION IF NOT EXISTS pg_trgm;

-- The generated column "search" of agents: number and name have the weight A, specializations B, the description C. The
-- column is stored: with another body, a migration must also drop the column and add it again. A hyphen counts as a
-- space, as in queries; else the parts of a word with a hyphen would not be adjacent to the words around it.
CREATE OR REPLACE FUNCTION agent_search(p_reg text, p_name text, p_specializations text[], p_description text) RETURNS tsvector
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT setweight(to_tsvector('pg_catalog.simple', translate(p_reg || ' ' || p_name, U&'-\2010\2011', '   ')), 'A')
    || setweight(to_tsvector('pg_catalog.simple', translate(array_to_string(p_specializations, ' '), U&'-\2010\2011', '   ')), 'B')
    || setweight(to_tsvector('pg_catalog.simple', translate(p_description, U&'-\2010\2011', '   ')), 'C')
$$;
