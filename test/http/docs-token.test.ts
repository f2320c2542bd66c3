import { fileURLToPath } from 'node:url'
import { afterAll, expect, it } from 'vitest'
import { shared } from '../support/harness.ts'
import { folderWith, printedBy, programsOf } from '../support/programs.ts'
import { webControl } from '../support/web.ts'

const VERIFY = fileURLToPath(new URL('../../packages/verify/index.ts', import.meta.url))

const h = shared()
const { api, newAgent } = h
const web = webControl(h)

/** Prints the result of the guide's program for each case. */
const RUN = `import { verifiedAgent } from './platform.js'
const results = JSON.parse(process.argv[2]).map((args) => verifiedAgent(...args))
console.log(JSON.stringify(await Promise.all(results)))
`
const [program = ''] = programsOf('use/verification-token.md', 'Bind it to the host', 'js')
const folder = await folderWith({
  'platform.js': program.replace('@agentreg/verify', VERIFY),
  'run.js': RUN,
})
afterAll(() => folder[Symbol.asyncDispose]())

async function boundAgent() {
  const { operator: owner, reg } = await h.newReporter()
  const { domain } = await web.prove(reg, owner)
  return { owner, reg, domain: domain as string }
}

const tokenOf = async (reg: string): Promise<string> => (await api('GET', `/verify/${reg}/token`)).body.token

it('the program in docs/use/verification-token.md accepts an agent only at its verified domain', async () => {
  const [agent, other, deactivated, suspended] = await Promise.all(Array.from({ length: 4 }, boundAgent))
  if (!agent || !other || !deactivated || !suspended) throw new Error('agents are missing')
  const { token: ending } = deactivated.owner
  await api('PATCH', `/agents/${deactivated.reg}`, { token: ending, body: { status: 'deactivated' } })
  await h.suspend(suspended.owner)
  const bare: string = (await newAgent(agent.owner)).reg
  const { reg, domain } = agent
  const regs = [reg, bare, deactivated.reg, suspended.reg, other.reg]
  const [token, bareToken, deactivatedToken, suspendedToken, otherToken] = await Promise.all(
    regs.map(tokenOf),
  )
  const url = `https://${domain}/a2a`
  const cases: [string, unknown[], boolean][] = [
    ['at its domain', [token, reg, url], true],
    [
      'at a subdomain in capitals, with a port',
      [token, reg, `HTTPS://Agent.${domain.toUpperCase()}:8443/`],
      true,
    ],
    ['by plain http', [token, reg, `http://${domain}/`], false],
    ['at a host that ends with its domain', [token, reg, `https://evil-${domain}/`], false],
    ['at a host that begins with its domain', [token, reg, `https://${domain}.evil.example/`], false],
    ['at the parent domain', [token, reg, 'https://example.com/'], false],
    ['with its domain as the username of a URL', [token, reg, `https://${domain}@evil.example/`], false],
    ["at its domain, with another's token", [otherToken, reg, url], false],
    ["under another's number", [token, other.reg, url], false],
    ['at the domain of another', [token, reg, `https://${other.domain}/`], false],
    ['without an expected number', [token, undefined, url], false],
    ['without a domain', [bareToken, bare, url], false],
    ['without a domain, at the host "null"', [bareToken, bare, 'https://null/'], false],
    ['that is deactivated', [deactivatedToken, deactivated.reg, `https://${deactivated.domain}/`], false],
    ['of a suspended operator', [suspendedToken, suspended.reg, `https://${suspended.domain}/`], false],
    ['with a changed token', [`${token?.slice(0, -4)}AAAA`, reg, url], false],
    ['without a token', ['', reg, url], false],
  ]
  const input = JSON.stringify(cases.map(([, args]) => args))
  const printed = await printedBy(process.execPath, ['run.js', input], {
    dir: folder.dir,
    env: { REGISTRY: h.base_url },
  })
  expect(printed).toEqual(
    cases.map(([, , isBound]) => (isBound ? expect.objectContaining({ reg, domain, active: true }) : null)),
  )
})
