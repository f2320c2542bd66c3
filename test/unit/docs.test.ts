import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, it } from 'vitest'
import { anchorOf } from '../../scripts/site/markdown.ts'
import { EVENT_TYPES } from '../../src/db/enums.ts'
import { ERROR_STATUS } from '../../src/errors.ts'
import { priceTable } from '../bench/cost/table.ts'
import { readPage, tableIn } from '../support/docs-table.ts'

const ROOT = join(import.meta.dirname, '../..')
const pages = [...globSync('*.md', { cwd: ROOT }), ...globSync('docs/**/*.md', { cwd: ROOT })]

const textOf = (page: string) => readFileSync(join(ROOT, page), 'utf8')
const proseOf = (page: string) => textOf(page).replace(/^```.*?^```/gms, '')
const { scripts } = JSON.parse(textOf('package.json'))

const linksOf = (page: string) =>
  [...proseOf(page).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)/g)].map(([link, path, anchor]) => ({
    link,
    to: path ? normalize(join(dirname(page), path)) : page,
    anchor,
  }))

/** The anchors of a page: those that GitHub derives from headings, and explicit ones. */
const anchorsOf = (page: string) => [
  ...[...proseOf(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading)),
  ...[...proseOf(page).matchAll(/<a id="([\w-]+)">/g)].map(([, id = '']) => id),
]

describe.each(pages)('%s', (page) => {
  it('has links to existing pages and anchors', () => {
    for (const { link, to, anchor } of linksOf(page)) {
      expect(() => readFileSync(join(ROOT, to)), link).not.toThrow()
      if (anchor !== undefined) expect(anchorsOf(to), link).toContain(anchor)
    }
  })

  it('names files and scripts that exist', () => {
    const paths = [...proseOf(page).matchAll(/`((?:src|test|local|scripts|packages|drizzle)\/[\w./-]+)`/g)]
    for (const [, path = ''] of paths) expect(existsSync(join(ROOT, path)), path).toBe(true)
    const commands = [...textOf(page).matchAll(/npm run (?:-s )?([a-z][\w-]*(?::[\w-]+)*)/g)]
    for (const [, name = ''] of commands) expect(scripts, page).toHaveProperty([name])
  })
})

it('README.md has at most 200 lines', () => {
  expect(textOf('README.md').split('\n').length).toBeLessThanOrEqual(201)
})

it('docs/use/api.md lists every error code with its status', () => {
  const listed = [...readPage('use/api.md').matchAll(/^\| `([A-Z_]+)` \| (\d{3}) \|/gm)]
  expect(Object.fromEntries(listed.map(([, code, status]) => [code, Number(status)]))).toEqual(ERROR_STATUS)
})

it('docs/use/webhooks.md lists every event type', () => {
  const listed = [...readPage('use/webhooks.md').matchAll(/^\| `([a-z]+\.[a-z_]+)` \|/gm)].map(
    ([, type]) => type,
  )
  expect(listed).toEqual(EVENT_TYPES)
})

it('docs/operate/cost.md has the prices that the bench uses', () => {
  expect(tableIn(readPage('operate/cost.md'), 'prices').trim()).toBe(priceTable())
})
