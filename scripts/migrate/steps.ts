/** How a statement of a migration is executed, which follows from its text. */
export type Step =
  /** In its own transaction. */
  | { kind: 'once'; sql: string }
  /** Outside of a transaction: CREATE INDEX CONCURRENTLY or DROP INDEX CONCURRENTLY. */
  | { kind: 'index'; sql: string; verb: 'CREATE' | 'DROP'; index: string }
  /** Marked by the comment `-- in pages`: repeated, each time in its own transaction, until it changes no row. */
  | { kind: 'pages'; sql: string }

const COMMENTS = /^(\s*--[^\n]*\n)+/
const INDEX = /^(CREATE|DROP)( UNIQUE)? INDEX CONCURRENTLY( IF( NOT)? EXISTS)? "?(\w+)"?/i
const PAGES = /^\s*-- in pages\b/m
const TITLE_MAX = 100

/**
 * Determines how a statement is executed.
 *
 * @param sql one statement, with its leading comments
 */
export function toStep(sql: string): Step {
  const index = INDEX.exec(bare(sql))
  if (index?.[1] && index[5]) {
    return { kind: 'index', sql, verb: index[1].toUpperCase() as 'CREATE' | 'DROP', index: index[5] }
  }
  return { kind: PAGES.test(sql) ? 'pages' : 'once', sql }
}

/** A statement without its leading comments. */
export function bare(sql: string): string {
  return `${sql}\n`.replace(COMMENTS, '').trim()
}

/** A statement on one line, for the output. */
export function titleOf(sql: string): string {
  const line = bare(sql).replaceAll(/\s+/g, ' ').replaceAll('"', '')
  return line.length > TITLE_MAX ? `${line.slice(0, TITLE_MAX)}…` : line
}
