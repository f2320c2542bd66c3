import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { generateDrizzleJson, generateMigration } from 'drizzle-kit/api'
import { expect, it } from 'vitest'
import { MIGRATIONS_FOLDER } from '../../scripts/migrate/migrations.ts'
import * as logSchema from '../../src/db/log-schema.ts'
import * as schema from '../../src/db/schema.ts'

it('the baseline creates the tables of src/db; if this fails: npm run db:baseline', async () => {
  const snapshot = JSON.parse(readFileSync(join(MIGRATIONS_FOLDER, 'meta/0000_snapshot.json'), 'utf8'))
  const now = generateDrizzleJson({ ...schema, ...logSchema })
  expect(await generateMigration(snapshot, now)).toEqual([])
})
