const COMMENT = /\/\*[\s\S]*?\*\//g
const TEXT = /("[^"]*")/
const SPACE = /\s+/g
const AROUND = / ?([{};,]) ?/g

/** Minifies a style sheet: removes comments and optional whitespace, but not within strings. */
export function lightSheet(css: string): string {
  const parts = css.replaceAll(COMMENT, '').trim().split(TEXT)
  return parts.map((part, n) => (n % 2 === 1 ? part : lightened(part))).join('')
}

function lightened(css: string): string {
  return css.replaceAll(SPACE, ' ').replaceAll(AROUND, '$1').replaceAll(': ', ':')
}
