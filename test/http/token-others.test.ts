import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { HOUR_MS } from '../../src/lib/time.ts'
import { makeTokenKey } from '../../src/transparency/token.ts'
import { shared } from '../support/harness.ts'
import { folderWith, printedBy, programsOf } from '../support/programs.ts'

const own = shared()

const hasPyJwt = await promisify(execFile)('python3', ['-c', 'import jwt, cryptography']).then(
  () => true,
  () => false,
)

const [js = ''] = programsOf('use/verification-token.md', 'Other libraries', 'js')
const [py = ''] = programsOf('use/verification-token.md', 'Other libraries', 'py')

// Prints the result of the program on the page for each token: the verification, or null when it throws.
const RUN_JS = `import { verificationOf } from './program.js'
const said = JSON.parse(process.argv[2]).map((token) => verificationOf(token).catch(() => null))
console.log(JSON.stringify(await Promise.all(said)))
`
const RUN_PY = `import json
import sys

import jwt
from program import verification_of


def said(token):
    try:
        return verification_of(token)
    except jwt.PyJWTError:
        return None


print(json.dumps([said(token) for token in json.loads(sys.argv[1])]))
`

/** Valid tokens with their expected content, and tokens that must be rejected. */
async function tokens() {
  const now = new Date()
  const operator = await own.newOperator()
  const [one, two] = await Promise.all([
    own.newAgent(operator, { name: 'Übersetzer 🤖' }),
    own.newAgent(operator),
  ])
  await own.api('PATCH', `/agents/${two.reg}`, { token: operator.token, body: { status: 'deactivated' } })
  await using stranger = await own.variant({ TOKEN_KEYS: `[${await makeTokenKey()}]` })
  await using twin = await own.variant({ BASE_URL: 'http://localhost:9' })
  const ask = async (at: typeof stranger | typeof own, reg: string, time = now) => {
    const path = `/verify/${reg}`
    const { token } = (await at.api('GET', `${path}/token`, { now: time })).body
    const { body } = await at.api('GET', path, { now: time })
    return { token: token as string, stated: { ...body, checked_at: expect.stringMatching(/:00\.000Z$/) } }
  }
  const good = await Promise.all([ask(own, one.reg), ask(own, two.reg)])
  const bad = await Promise.all([
    ask(stranger, one.reg),
    ask(twin, one.reg),
    ask(own, one.reg, new Date(now.getTime() - HOUR_MS)),
    ask(own, one.reg, new Date(now.getTime() + HOUR_MS)),
  ])
  const [header = '', claims = '', signature = ''] = good[0]?.token.split('.') ?? []
  const coded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const rejected = [
    ...bad.slice(0, 3).map(({ token }) => token),
    `${header}.${coded({ iss: own.base_url })}.${signature}`,
    `${coded({ alg: 'none', typ: 'agent-verification+jwt' })}.${claims}.`,
    'hello',
  ]
  return { good, rejected, early: bad[3]?.token ?? '' }
}

const { good, rejected, early } = await tokens()
const input = (wrong: string[]) => JSON.stringify([...good.map(({ token }) => token), ...wrong])
const expected = (wrong: string[]) => [...good.map(({ stated }) => stated), ...wrong.map(() => null)]
const env = { REGISTRY: own.base_url }

describe('a token of the service', () => {
  it('verifies with jose as in the documentation, and other tokens do not', async () => {
    await using folder = await folderWith({ 'program.js': js, 'run.js': RUN_JS })
    const args = ['run.js', input(rejected)]
    expect(await printedBy(process.execPath, args, { dir: folder.dir, env })).toEqual(expected(rejected))
  })

  it('verifies with PyJWT as in the documentation, and other tokens do not', async ({ skip }) => {
    skip(!hasPyJwt, "needs python3 with PyJWT and cryptography: pip install 'pyjwt[crypto]'")
    await using folder = await folderWith({ 'program.py': py, 'run.py': RUN_PY })
    const wrong = [...rejected, early]
    const args = ['run.py', input(wrong)]
    expect(await printedBy('python3', args, { dir: folder.dir, env })).toEqual(expected(wrong))
  })
})
