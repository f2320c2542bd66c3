-- Formats an agent number with its check character (ISO/IEC 7064, MOD 37,36); checkCharacter is the same in TypeScript.
--
-- p_year, p_block, p_number: each 0 to 9999
-- Returns: "REG-2026-0001-0042-U". Errors: 54000 (program_limit_exceeded) if one of them is above 9999. Locks: none.
CREATE OR REPLACE FUNCTION agent_number(p_year integer, p_block integer, p_number integer) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  digits text := lpad(p_year::text, 4, '0') || lpad(p_block::text, 4, '0') || lpad(p_number::text, 4, '0');
  product integer := 36;
BEGIN
  -- The numbers are checked, because lpad truncates longer texts.
  IF greatest(p_year, p_block, p_number) > 9999 THEN
    RAISE EXCEPTION 'agent numbers of the year % are used up', p_year USING ERRCODE = 'program_limit_exceeded';
  END IF;
  FOR i IN 1..12 LOOP
    product := (product + substr(digits, i, 1)::integer) % 36;
    IF product = 0 THEN product := 36; END IF;
    product := (product * 2) % 37;
  END LOOP;
  RETURN format('REG-%s-%s-%s-%s', substr(digits, 1, 4), substr(digits, 5, 4), substr(digits, 9, 4),
    substr('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ', (37 - product) % 36 + 1, 1));
END $$;
