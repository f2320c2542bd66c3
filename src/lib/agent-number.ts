/** The shape of an agent number: `REG-<year>-<block>-<number>-<check character>`. */
export const REG_PATTERN = /^REG-\d{4}-\d{4}-\d{4}-[0-9A-Z]$/

/** Number of slots that allocate the agent numbers of a year; they take its blocks in turn. */
export const NUMBER_SLOTS = 8

const MODULUS = 36

/**
 * The check character of the twelve digits of an agent number.
 *
 * @param digits year, block and number: twelve decimal digits
 * @returns one of 0-9 and A-Z
 *
 * Source: ISO/IEC 7064, hybrid system MOD 37,36.
 */
export function checkCharacter(digits: string): string {
  let product = MODULUS
  for (const digit of digits) {
    const sum = (product + Number(digit)) % MODULUS || MODULUS
    product = (sum * 2) % (MODULUS + 1)
  }
  return ((MODULUS + 1 - product) % MODULUS).toString(MODULUS).toUpperCase()
}

/** Whether a text is an agent number with its correct check character. */
export function isAgentNumber(text: string): boolean {
  return REG_PATTERN.test(text) && checkMatches(text)
}

/** Whether the check character of an agent number in the form of `REG_PATTERN` is correct. */
export function checkMatches(reg: string): boolean {
  return checkCharacter(reg.slice(4, 18).replaceAll('-', '')) === reg.slice(-1)
}
