import { generateDrizzleJson, generateMigration } from 'drizzle-kit/api'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import { expect, it } from 'vitest'
import { MIGRATIONS_FOLDER } from '../../scripts/migrate/migrations.ts'
import * as logSchema from '../../src/db/log-schema.ts'
import * as schema from '../../src/db/schema.ts'

it('the baseline creates the tables of src/db; if this fails: npm run db:baseline', async () => {
  const statements = await generateMigration(
    generateDrizzleJson({}),
    generateDrizzleJson({ ...schema, ...logSchema }),
  )
  const baseline = readMigrationFiles({ migrationsFolder: MIGRATIONS_FOLDER }).flatMap(({ sql }) => sql)
  expect(sorted(baseline)).toEqual(sorted(statements)) // the order of the tables is another
})

const sorted = (statements: string[]) => statements.map((one) => one.trim()).sort()
