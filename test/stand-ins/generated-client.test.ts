import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { CLIENT_FILE, generateClient } from '../../scripts/client.ts'

it('the generated client is up to date (otherwise run npm run client:generate)', async () => {
  expect(readFileSync(CLIENT_FILE, 'utf8')).toBe(await generateClient())
})
