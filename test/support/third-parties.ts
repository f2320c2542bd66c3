import { app } from '../../src/app.ts'
import type { ConsoleVisitor } from './console.ts'
import { API } from './document.ts'
import { freshIp, type Harness } from './harness.ts'
import { eachOf } from './load/clients.ts'

/** Routes that read nothing of the registry, or begin a process elsewhere. */
const LEFT_OUT =
  /^\/(log\/|console\/(sign-in|account\/kyc)$|api\/v1\/auth\/|api\/v1\/openapi.json$|unsubscribe\/)/

const AT_ONCE = 8

/** All GET routes of the app, of the API and of pages. */
const ROUTES = [
  ...new Set(app.routes.filter(({ method }) => method === 'GET').map(({ path }) => path)),
].filter((path) => !LEFT_OUT.test(path))

/** The resources by the path parameters that name them; for `:id`, by the segment before it. */
type Named = Record<string, string[]>

/** Who reads: a credential of the API, or a signed-in visitor of the console. */
interface Readers {
  tokens: Record<string, string>
  visitors: Record<string, ConsoleVisitor>
}

/** Queries of routes that show other resources depending on them. */
const QUERIES: [route: RegExp, queriesOf: (named: Named) => string[]][] = [
  [
    /^\/(api\/v1\/agents\/search|agents)$/,
    ({ operators = [], slug: slugs = [] }) => [
      ...operators.map((id) => `operator=${id}`),
      ...operators.map((id) => `operator=${id}&operator_status=suspended`),
      ...slugs.map((slug) => `platform=${slug}`),
    ],
  ],
  [/^\/api\/v1\/agents\/:reg\/log-entries$/, () => ['limit=100']],
]

/** All paths of a route: one for each combination of the resources that it can name. */
function pathsOf(route: string, named: Named): string[] {
  const parameter = /([\w-]+)\/:(\w+)(\{[^}]*\})?/.exec(route)
  if (!parameter) return [route]
  const [whole, before, name] = parameter
  const known = named[name === 'id' ? `${before}` : `${name}`]
  if (!known) throw new Error(`${route}: state in the test what ${before}/:${name} stands for`)
  return known.flatMap((value) => pathsOf(route.replace(whole, `${before}/${value}`), named))
}

/**
 * Reads every GET route of the app as each reader, and without credentials.
 *
 * @param named the resources to read; a route with another parameter fails, so that none is forgotten
 * @returns the texts of the responses by reader and path
 */
export async function readAll(h: Harness, named: Named, { tokens, visitors }: Readers) {
  const paths = ROUTES.flatMap((route) => {
    const [, queriesOf] = QUERIES.find(([of]) => of.test(route)) ?? []
    return pathsOf(route, named).flatMap((path) =>
      queriesOf ? queriesOf(named).map((query) => `${path}?${query}`) : [path],
    )
  })
  const texts = new Map<string, string>()
  const read = async (path: string) => {
    if (path.startsWith('/console')) {
      for (const [who, visitor] of Object.entries(visitors))
        texts.set(`${who} ${path}`, (await visitor.get(path)).text)
    } else if (path.startsWith(`${API}/`)) {
      const below = path.slice(API.length)
      texts.set(`nobody ${path}`, (await h.api('GET', below)).text)
      for (const [who, token] of Object.entries(tokens))
        texts.set(`${who} ${path}`, (await h.api('GET', below, { token })).text)
    } else {
      const headers = { Accept: 'text/html', 'CF-Connecting-IP': freshIp() }
      texts.set(`nobody ${path}`, await (await fetch(h.base_url + path, { headers })).text())
    }
  }
  await eachOf(paths, AT_ONCE, read)
  return texts
}

/** In which of the texts a word is, and how often; also in the payloads of tokens. */
export function placesOf(texts: ReadonlyMap<string, string>, word: string): Record<string, number> {
  const counts = [...texts].map(
    ([place, text]) => [place, withPayloads(text).split(word).length - 1] as const,
  )
  return Object.fromEntries(counts.filter(([, count]) => count > 0))
}

function withPayloads(text: string): string {
  return text.replaceAll(/"eyJ[\w-]+\.([\w-]+)\./g, (_, payload) =>
    Buffer.from(payload, 'base64url').toString(),
  )
}
