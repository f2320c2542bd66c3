import { expect } from 'vitest'
import { freshIp, type Harness } from './harness.ts'
import { navigate } from './navigate.ts'
import { decode, textOf } from './page.ts'

/** The header Accept of browsers. */
export const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8'

/** A page that was read. */
export interface ReadPage {
  status: number
  headers: Headers
  /** The HTML. */
  html: string
  /** The text of its body, with whitespace collapsed. */
  text: string
}

interface Visit {
  accept?: string
  headers?: Record<string, string>
  ip?: string
  method?: string
  /** The URL of the Worker. */
  base?: string
}

/** Reads pages with the requests of a browser, without following redirects; expects the properties of every page. */
export function pageReader({ base_url }: Pick<Harness, 'base_url'>) {
  return async (path: string, visit: Visit = {}): Promise<ReadPage> => {
    const { accept = BROWSER, headers = {}, ip = freshIp(), method = 'GET', base = base_url } = visit
    const response = await navigate(base + path, {
      method,
      headers: { Accept: accept, 'CF-Connecting-IP': ip, ...headers },
    })
    const html = await response.text()
    const page = { status: response.status, headers: response.headers, html, text: textOf(html) }
    const isHtml = page.headers.get('content-type')?.startsWith('text/html')
    if (isHtml && method !== 'HEAD') expectFrame(page)
    return page
  }
}

/** The HTML below a heading with this id. */
function insideOf({ html }: ReadPage, id: string): string {
  const inside = new RegExp(`<section aria-labelledby="${id}">(.*?)</section>`, 's').exec(html)?.[1]
  if (inside === undefined) throw new Error(`the page has no section ${id}`)
  return inside
}

/** The text below a heading with this id. */
export const sectionOf = (page: ReadPage, id: string) => textOf(insideOf(page, id))

/** The points in time in a section. */
export const timesIn = (page: ReadPage, id: string) =>
  [...insideOf(page, id).matchAll(/<time datetime="([^"]*)"/g)].map(([, time = '']) => time)

/** The rows of the first table whose caption starts with this text, each with the texts of its cells. */
export function rowsOf({ html }: ReadPage, caption: string): string[][] {
  const table = html.split('<details>').find((part) => part.startsWith(`<summary>${caption}`))
  const [, ...rows] = /<tbody>(.*?)<\/tbody>/s.exec(table ?? '')?.[1]?.split('<tr>') ?? []
  return rows.map((row) => {
    const [, ...cells] = row.split('<td')
    return cells.map((cell) => textOf(`<td${cell}`))
  })
}

/** The texts of all elements of a kind, in order. */
export function textsOf({ html }: ReadPage, tag: string): string[] {
  return [...html.matchAll(new RegExp(`<${tag}\\b[^>]*>(.*?)</${tag}>`, 'gs'))].map(([, inside = '']) =>
    textOf(inside),
  )
}

/** An attribute of the first element whose tag contains a text; null if there is none. */
export function attributeOf({ html }: ReadPage, holding: string, name: string): string | null {
  const tag = html.match(/<[^>]+>/g)?.find((one) => one.includes(holding))
  const value = tag && new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1]
  return value === undefined ? null : decode(value)
}

function expectFrame(page: ReadPage): void {
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(page.html).toMatch(/^<!doctype html>\n<html lang="en">/)
  expect(page.html.match(/<h1>/g)).toHaveLength(1)
  expect(attributeOf(page, 'name="viewport"', 'content')).toContain('width=device-width')
  expect(/<title>(.*?)<\/title>/s.exec(page.html)?.[1]).toMatch(/\S/)
  expect(page.html).not.toMatch(/<style|style="|\son\w+="|javascript:/i)
  for (const [, attributes = ''] of page.html.matchAll(/<script\b([^>]*)>/g)) {
    expect(attributes).toMatch(/ src="\/|type="application\/ld\+json"/)
  }
  const isConsole = page.html.includes('<nav aria-label="Console">')
  expect(page.headers.get('content-security-policy')).toBe(
    `default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'${isConsole ? "; connect-src 'self'" : ''}`,
  )
  expect(page.headers.get('x-content-type-options')).toBe('nosniff')
  expect(page.headers.get('x-request-id')).toMatch(/./)
}
