import { describe, expect, it } from 'vitest'
import { readMigrations } from '../../scripts/migrate/run.ts'
import { bare, titleOf, toStep } from '../../scripts/migrate/steps.ts'
import { FOLDER } from '../../scripts/migrate.ts'

/** The last migration that may break an earlier Worker, because none was deployed yet. */
const FIRST_RELEASE = '0006_transparency_log'
const [, ...later] = readMigrations(FOLDER)

/** The harm that a statement would do to a large table in use; null when none. */
function harmOf(sql: string, fresh: ReadonlySet<string>): string | null {
  const text = bare(sql)
  const on = (pattern: RegExp) => {
    const table = pattern.exec(text)?.[1]
    return table !== undefined && !fresh.has(table)
  }
  if (on(/^CREATE (?:UNIQUE )?INDEX "?\w+"? ON "?(\w+)/))
    return 'stops writes while the index is built: CONCURRENTLY'
  if (/^DROP INDEX (?!CONCURRENTLY)/.test(text)) return 'blocks reads and writes: CONCURRENTLY'
  if (on(/^ALTER TABLE "?(\w+)"? ADD CONSTRAINT .* (?:CHECK|FOREIGN KEY) (?!.* NOT VALID;$)/s))
    return 'reads the whole table under its lock: NOT VALID, then VALIDATE CONSTRAINT'
  if (
    on(
      /^ALTER TABLE "?(\w+)"? .*(?:SET NOT NULL|SET DATA TYPE|ADD (?:CONSTRAINT "?\w+"? )?(?:UNIQUE|PRIMARY KEY) ?\()/s,
    )
  )
    return 'reads or writes the whole table under its lock'
  const writes = on(/^(?:UPDATE|DELETE FROM|INSERT INTO) "?(\w+)/)
  if (writes && toStep(sql).kind !== 'pages') return 'changes all rows in one transaction: -- in pages'
  return null
}

const freshOf = (sql: readonly string[]) =>
  new Set(sql.flatMap((text) => /^CREATE TABLE "?(\w+)/.exec(bare(text))?.[1] ?? []))

describe('each migration after the baseline', () => {
  it.each(later)('holds no lock while it reads or writes a table: $name', ({ sql }) => {
    const fresh = freshOf(sql)
    expect(sql.flatMap((text) => harmOf(text, fresh) ?? []).filter(Boolean)).toEqual([])
    expect(sql[0]).toMatch(/^-- /)
    expect(sql.join('\n')).toMatch(/^-- Locks: /m)
  })

  it.each([
    'CREATE INDEX "x" ON "agents" ("name");',
    '-- why\nDROP INDEX "x";',
    'ALTER TABLE "agents" ADD CONSTRAINT "x" CHECK (true);',
    'ALTER TABLE "agents" ADD CONSTRAINT "x" FOREIGN KEY ("a") REFERENCES "b"("c");',
    'ALTER TABLE "agents" ADD CONSTRAINT "x" UNIQUE("a");',
    'ALTER TABLE "agents" ALTER COLUMN "name" SET NOT NULL;',
    'ALTER TABLE "agents" ALTER COLUMN "name" SET DATA TYPE text;',
    "UPDATE agents SET name = 'x';",
  ])('must not contain %s', (sql) => {
    expect(harmOf(sql, new Set(['fresh']))).toEqual(expect.any(String))
  })
})

/** How a statement would break the previous Worker, which still runs after it and after a rollback; null when it would not. */
function breakageOf(sql: string, fresh: ReadonlySet<string>): string | null {
  const text = bare(sql)
  const table = /^(?:ALTER|DROP) TABLE (?:IF EXISTS )?"?(\w+)/.exec(text)?.[1] ?? ''
  if (fresh.has(table)) return null
  if (/^DROP (?:TABLE|FUNCTION|VIEW|TYPE|TRIGGER)|^ALTER TABLE .*DROP (?:COLUMN|DEFAULT)/s.test(text))
    return 'removes what the previous Worker uses: one release later'
  if (/^ALTER (?:TABLE|TYPE) .*RENAME (?!CONSTRAINT)/s.test(text))
    return 'renames what the previous Worker uses: add a new one'
  if (/^ALTER TABLE .*(?:SET NOT NULL|SET DATA TYPE)/s.test(text))
    return 'rejects what the previous Worker writes, or returns what it cannot read'
  const added = text.match(/ADD COLUMN (?:(?!ADD COLUMN).)*/gs) ?? []
  if (added.some((column) => / NOT NULL/.test(column) && !/ DEFAULT | GENERATED /.test(column)))
    return 'rejects rows of the previous Worker: DEFAULT'
  const revoked = /^REVOKE .* FROM (?:PUBLIC, )?registry_worker/s.test(text)
  return revoked ? 'revokes a right that the previous Worker uses' : null
}

describe('each migration since the first release', () => {
  it.each(later.filter(({ name }) => name > FIRST_RELEASE))(
    'does not break the previous Worker: $name',
    ({ sql }) => {
      const fresh = freshOf(sql)
      expect(sql.flatMap((text) => breakageOf(text, fresh) ?? [])).toEqual([])
    },
  )

  it.each([
    'DROP TABLE "agents";',
    '-- why\nALTER TABLE "agents" ADD COLUMN "a" text, DROP COLUMN "name";',
    'ALTER TABLE "agents" RENAME COLUMN "name" TO "title";',
    'ALTER TABLE "agents" RENAME TO "bots";',
    'ALTER TABLE "agents" ALTER COLUMN "name" SET NOT NULL;',
    'ALTER TABLE "agents" ADD COLUMN "a" integer DEFAULT 0 NOT NULL, ADD COLUMN "b" text NOT NULL;',
    'ALTER TABLE "agents" ALTER COLUMN "status" DROP DEFAULT;',
    'DROP FUNCTION find_key;',
    'REVOKE INSERT ON agents FROM registry_worker;',
  ])('must not contain %s', (sql) => {
    expect(breakageOf(sql, new Set(['fresh']))).toEqual(expect.any(String))
  })
})

describe('a statement of a migration', () => {
  it.each([
    ['once', 'ALTER TABLE "a" ADD COLUMN "b" text;'],
    ['once', '-- CREATE INDEX CONCURRENTLY "x"\nCREATE TABLE a ();'],
    ['index', '-- why\nCREATE UNIQUE INDEX CONCURRENTLY "x" ON "a" ("b");'],
    ['index', 'CREATE INDEX CONCURRENTLY IF NOT EXISTS x ON a (b);'],
    ['index', 'DROP INDEX CONCURRENTLY IF EXISTS "x";'],
    ['pages', '-- in pages\n-- why\nUPDATE a SET b = 1;'],
  ])('is run as %s: %s', (kind, sql) => {
    expect(toStep(sql)).toMatchObject({ kind, sql, ...(kind === 'index' && { index: 'x' }) })
  })

  it('is shown in one line, without its comments', () => {
    expect(titleOf('-- why\nALTER TABLE "a"\n\tADD COLUMN "b" text;')).toBe(
      'ALTER TABLE a ADD COLUMN b text;',
    )
    expect(titleOf(`SELECT ${'x'.repeat(200)}`)).toHaveLength(101)
  })
})
