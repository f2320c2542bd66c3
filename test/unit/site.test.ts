import { gzipSync } from 'node:zlib'
import { html } from 'hono/html'
import { describe, expect, it } from 'vitest'
import { GUIDES, READERS } from '../../scripts/site/guides.ts'
import { publishedMarkdown, renderGuide, renderInline } from '../../scripts/site/markdown.ts'
import { BASE_URL_PLACEHOLDER } from '../../src/api/assets.ts'
import { POLICIES } from '../../src/http/limits.ts'
import { describeEventTypes } from '../../src/webhooks/manage/event-types.ts'
import { readPage } from '../support/docs-table.ts'
import { document, files, hrefsOf, idsOf, pages } from '../support/site.ts'

const PAGE_MAX_BYTES = 12 * 1024
const EXTERNAL = /^https:\/\//
const anchors = new Map(pages.map(({ path, html }) => [path, idsOf(html)]))
const operations = Object.entries(document.paths).flatMap(([route, item]) =>
  Object.entries(item).map(([method, operation]) => ({
    ...operation,
    signature: `${method.toUpperCase()} /api/v1${route}`,
  })),
)
const pageOf = (operationId: string) =>
  pages.find(({ html }) => html.includes(`<dd><code>${operationId}</code></dd>`))?.html ?? ''

/** Text escaped as in a page. */
const shown = (text: string) => String(html`${text}`)

describe.each(pages)('$path', ({ path, html }) => {
  it('has headings that skip no level, and unique ids', () => {
    const levels = [...html.slice(html.indexOf('<article')).matchAll(/<h([1-6])/g)].map(([, level]) =>
      Number(level),
    )
    expect(levels[0]).toBe(1)
    for (const [n, level] of levels.entries()) expect(level - (levels[n - 1] ?? 0)).toBeLessThanOrEqual(1)
    const ids = idsOf(html)
    expect(ids.filter((id, n) => ids.indexOf(id) !== n)).toEqual([])
  })

  it('is small', () => {
    expect(gzipSync(html).length).toBeLessThanOrEqual(PAGE_MAX_BYTES)
  })

  it('links to existing pages and anchors', () => {
    const broken = hrefsOf(html).filter((href) => {
      if (EXTERNAL.test(href)) return false
      const { pathname, hash } = new URL(href, `https://x.example${path}`)
      const ids = anchors.get(pathname)
      if (ids) return hash !== '' && !ids.includes(hash.slice(1)) && hash !== '#main'
      return pathname.startsWith('/docs/') && !(pathname.slice(1) in files)
    })
    expect(broken).toEqual([])
  })

  it('puts tables and code into boxes that scroll, also by keyboard', () => {
    expect(html.match(/<table/g) ?? []).toHaveLength(
      (html.match(/<div class="scroll" role="region" aria-label="[^"]+" tabindex="0"><table>/g) ?? []).length,
    )
    expect(html).not.toMatch(/<pre(?! tabindex="0")/)
  })
})

describe('the guides', () => {
  it.each(GUIDES)('$path is published as a page, and as Markdown without broken links', (guide) => {
    const { path, file } = guide
    const page = pages.find((page) => page.path === path)
    const heading = /^# (.+)$/m.exec(readPage(`../${file}`))?.[1] ?? ''
    expect(page?.html).toContain(`<h1>${shown(heading)}</h1>`)
    expect(page?.html).toContain(`<a href="${path}.md">`)
    const markdown = files[`${path.slice(1)}.md`] ?? ''
    expect(markdown.startsWith(`# ${heading}\n`)).toBe(true)
    const prose = markdown.replaceAll(/^```.*?^```/gms, '')
    for (const [, to = ''] of prose.matchAll(/\]\((?!https:|#)([^)#]+)/g))
      expect(files).toHaveProperty([`docs/${to}`])
  })

  it.each(Object.values(READERS).flat())('$path is listed on every page and for language models', (entry) => {
    const { path, about } = entry
    for (const { html, path: at } of pages)
      expect(html.slice(html.indexOf('<nav class="pages"')), at).toMatch(
        RegExp(`<a href="${path}"${at === path ? ' aria-current="page"' : ''}>`),
      )
    expect(files['docs.html']).toContain(shown(about))
    const listed = 'file' in entry ? `${path}.md` : path
    expect(files['llms.txt']).toContain(`(${BASE_URL_PLACEHOLDER}${listed}): ${about}\n`)
  })

  it('name the registry that serves them in their commands', () => {
    for (const { path, html } of pages) expect(html, path).not.toMatch(/(?<![.\w])registry\.example(?!\.\w)/)
    // Nobody mistakes the key of an example for that of the registry.
    for (const [name, text] of Object.entries(files))
      expect(text, name).not.toMatch(/base-url\.invalid\/[\w/]+\+[0-9a-f]{8}\+[\w+/]{8}/)
    const [quickstart, reference] = ['docs/quickstart.html', 'docs/reference/get-agent.html']
    expect(files[quickstart]).toContain(`export REGISTRY=${BASE_URL_PLACEHOLDER}\n`)
    expect(files[reference]).toContain(`<code>curl -s &quot;${BASE_URL_PLACEHOLDER}/api/v1/agents/`)
  })

  it('lose only links to pages that are not published', () => {
    const text =
      'See [the runbook](operations.md#x), [the API](api.md#limits) and [RFC](https://rfc.example).'
    const resolve = (href: string) =>
      href.startsWith('operations') ? null : href.replace('api.md', '/docs/api')
    expect(renderGuide(`# T\n\n${text}`, resolve).html).toBe(
      '<p>See the runbook, <a href="/docs/api#limits">the API</a> and <a href="https://rfc.example">RFC</a>.</p>\n',
    )
    expect(publishedMarkdown(text, resolve)).toBe(
      text.replace('[the runbook](operations.md#x)', 'the runbook'),
    )
  })

  it('escape HTML, also in code, headings, and table cells', () => {
    const hostile = '<script>alert(1)</script>'
    const guide = `# T\n\n## ${hostile}\n\n${hostile} \`${hostile}\`\n\n| a |\n|---|\n| ${hostile} |\n\n\`\`\`\n${hostile}\n\`\`\`\n\n${hostile}\n`
    const { html } = renderGuide(guide, (href) => href)
    expect(html).not.toMatch(/<script|<\/script/)
    expect(html.match(/&lt;script&gt;/g)).toHaveLength(7)
    expect(renderInline(hostile)).toBe('&lt;script&gt;alert(1)&lt;/script&gt;')
  })

  it('have a generated list of their headings in place of their own', () => {
    const own = '[A](#a) · [B](#b) · [C](#c)'
    const { html, headings } = renderGuide(`# T\n\n${own}\n\n## A\n\n### B\n\n## C`, (href) => href)
    expect(html).not.toContain(' · ')
    expect(headings.map(({ id }) => id)).toEqual(['a', 'b', 'c'])
    expect(() => renderGuide('# T\n\n## A\n\n## A', (href) => href)).toThrow('two headings have one name')
  })
})

describe('the reference', () => {
  it.each(operations)(
    'has $signature with all of its parameters, fields, statuses, and errors',
    (operation) => {
      const html = pageOf(operation.operationId)
      expect(html).toContain(`<h1>${shown(operation.summary)}</h1>`)
      expect(html).toContain(`<code>${operation.signature}</code>`)
      expect(files['docs/reference.html'] ?? files['docs/reference/index.html']).toContain(
        shown(operation.summary),
      )
      const { schemas } = document.components
      const fields = (schema: { $ref?: string; properties?: object } = {}) =>
        Object.keys((schema.$ref ? schemas[schema.$ref.split('/').at(-1) ?? ''] : schema)?.properties ?? {})
      const body = operation.requestBody?.content?.['application/json']?.schema
      const names = [...(operation.parameters ?? []).map(({ name }) => name), ...fields(body)]
      for (const [status, { $ref, content }] of Object.entries(operation.responses)) {
        if ($ref) for (const code of codesOf($ref)) expect(html).toContain(`<a href="/docs/errors#${code}">`)
        else expect(html).toContain(`<h2 id="response-${status}">`)
        names.push(...fields(content?.['application/json']?.schema))
      }
      for (const name of names) expect(html, name).toContain(`<td><code>${name}</code>`)
    },
  )

  it('states for each operation the credential and the rate limit', () => {
    expect(pageOf('reportActivity')).toContain(
      'An API key with the permission <code>activity:report</code> or <code>write</code>.',
    )
    expect(pageOf('reportActivity')).toContain('A platform&#39;s own key may call it')
    expect(pageOf('getAgent')).toContain('Public. A session token or an API key is optional')
    expect(pageOf('getAgent')).toContain(`${POLICIES.public.limit} requests per minute and IP address;`)
    expect(pageOf('finishSignIn')).toContain('Public. Credentials are ignored.')
    expect(pageOf('createApiKey')).toContain(`${POLICIES.strict.limit} requests per minute and session`)
  })

  it.each(operations)('has a curl command for $signature: credential, headers, and body', (operation) => {
    const [, command = ''] =
      /<pre tabindex="0"><code>(curl .*?)<\/code>/s.exec(pageOf(operation.operationId)) ?? []
    const [method = '', route = ''] = operation.signature.split(' ')
    const [start = '', query] = route.replaceAll('/', String.raw`\/`).split('?')
    expect(command).toMatch(
      RegExp(`${BASE_URL_PLACEHOLDER}${start.replaceAll(/\{\w+\}/g, '[^/{}&]+')}(\\?|&quot;)`),
    )
    expect(query).toBeUndefined()
    const isPublic =
      operation.security.length === 0 || operation.security.some((one) => !Object.keys(one).length)
    expect(command.includes('Authorization: Bearer $')).toBe(!isPublic)
    const body = operation.requestBody?.content?.['application/json']?.example
    expect(command.includes(' -d &#39;{')).toBe(body !== undefined)
    if (!(body === undefined ? method === 'GET' : method === 'POST'))
      expect(command).toContain(`-X ${method} `)
  })
})

function codesOf(ref: string): string[] {
  return (ref.split('/').at(-1) ?? '').split('_or_')
}

it('the page of webhook events has the fields and the example of each type', () => {
  const html = files['docs/reference/webhook-events.html'] ?? ''
  const types = describeEventTypes()
  expect([...html.matchAll(/<h2 id="([\w-]+)"><a/g)].map(([, id]) => id)).toEqual(
    types.map(({ type }) => type.replace('.', '-')),
  )
  for (const { example } of types) expect(html).toContain(shown(JSON.stringify(example, null, 2)))
  expect(html).toContain('<td><code>operator_name_verified</code>')
  expect(files['docs/reference.html']).toContain('href="/docs/reference/webhook-events"')
})

it('sitemap.xml lists the pages for people, with absolute URLs', () => {
  const urls = [...(files['sitemap.xml'] ?? '').matchAll(/<loc>(.*?)<\/loc>/g)].map(([, url]) => url)
  const served = Object.keys(files).filter((name) => name.endsWith('.html') && name !== 'docs/search.html')
  for (const name of served)
    expect(urls).toContain(`${BASE_URL_PLACEHOLDER}/${name.slice(0, -'.html'.length)}`)
  expect(urls).toHaveLength(served.length + 2) // the start page and the search, which the Worker makes
})
