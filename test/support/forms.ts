import { cookieJar } from '../../local/stand-ins/identity/cookies.ts'
import { freshIp } from './harness.ts'
import { decode } from './page.ts'
import type { Visitor } from './visitor.ts'

const MAX_REDIRECTS = 10

const readable = (html: string) =>
  decode(
    html
      .replace(/<style.*?<\/style>/gs, '')
      .replace(/<\/?(a|b|code|small|span|time)\b[^>]*>/g, '')
      .replace(/<[^>]*>/g, ' '),
  )
    .replace(/\s+/g, ' ')
    .trim()

/** The attributes of an opening tag. */
const attributes = (tag: string) =>
  Object.fromEntries(
    [...tag.matchAll(/\s([\w-]+)(?:="([^"]*)")?/g)].map(([, name, value = '']) => [name, decode(value)]),
  )

/** The elements of a kind: `[attributes, content]`. */
function elements(html: string, kind: string): [Record<string, string>, string][] {
  const all = html.matchAll(RegExp(`<${kind}\\b([^>]*)>(.*?)</${kind}>`, 'gs'))
  return [...all].map(([, tag = '', inside = '']) => [attributes(tag), inside])
}

/** A visitor without a browser: reads pages as text, follows links, and sends forms. */
export function formVisitor(): Visitor {
  const own = { 'CF-Connecting-IP': freshIp() }
  const jar = cookieJar()
  let at = new URL('about:blank')
  let html = ''
  let filled = new Map<string, string>()

  async function visit(address: string, init: RequestInit = {}, hops = 0): Promise<void> {
    at = new URL(address, at)
    const headers = { Accept: 'text/html', Cookie: jar.header(at), Origin: at.origin, ...own }
    const response = await fetch(at, { ...init, headers, redirect: 'manual' })
    jar.store(at, response)
    html = await response.text()
    filled = new Map()
    const location = response.headers.get('location')
    if (!location) return
    if (hops === MAX_REDIRECTS) throw new Error(`${at}: redirects without end`)
    return visit(location, {}, hops + 1)
  }

  const missing = (what: string) => new Error(`${at}: no ${what}\n${readable(html)}`)

  /** The values of a form: the original ones, or those filled in. */
  function contents(form: string): URLSearchParams {
    const inputs = [...form.matchAll(/<input\b[^>]*>/g)].map(([tag]) => attributes(tag))
    const sent = inputs.filter(
      ({ type = '', checked, id = '' }) =>
        !/checkbox|radio/.test(type) || checked !== undefined || filled.has(id),
    )
    const areas = elements(form, 'textarea').map(([field, value]) => ({
      ...field,
      value: decode(value).trim(),
    }))
    const selects = elements(form, 'select').map(([field, options]) => {
      const all = elements(options, 'option').map(([option]) => option)
      return { ...field, value: (all.find(({ selected }) => selected !== undefined) ?? all[0])?.value ?? '' }
    })
    const fields = [...sent, ...areas, ...selects].map(({ id = '', name = '', value = '' }) => [
      name,
      filled.get(id) ?? value,
    ])
    return new URLSearchParams(fields as [string, string][])
  }

  /** The field with this label. */
  function fieldOf(label: string): Record<string, string> {
    const id = elements(html, 'label').find(([, name]) => readable(name) === label)?.[0].for
    const fields = [...html.matchAll(/<(?:input|select|textarea)\b[^>]*>/g)].map(([tag]) => attributes(tag))
    const field = fields.find((one) => one.id !== undefined && one.id === id)
    if (!field) throw missing(`field "${label}"`)
    return field
  }

  return {
    complaints: [],
    open: (address) => visit(address),
    address: async () => at.href,
    problems: async () => [],
    async text(element = 'body') {
      const byId = RegExp(`<(\\w+)[^>]* id="${element.slice(1)}"[^>]*>(.*?)</\\1>`, 's').exec(html)
      const found = element.startsWith('#') ? byId?.[2] : elements(html, element)[0]?.[1]
      if (found === undefined) throw missing(`<${element}>`)
      return readable(found)
    },
    async fill(label, text) {
      const { id = '' } = fieldOf(label)
      const select = elements(html, 'select').find(([field]) => field.id === id)
      const option = select && elements(select[1], 'option').find(([, name]) => readable(name) === text)
      if (select && !option) throw missing(`option "${text}" of "${label}"`)
      filled.set(id, option?.[0].value ?? text)
    },
    async tick(label) {
      const { id = '', value = 'on' } = fieldOf(label)
      filled.set(id, value)
    },
    async press(name) {
      const link = elements(html, 'a').find(([, text]) => readable(text) === name)
      if (link) return visit(link[0].href ?? '')
      for (const [{ action = '', method }, form] of elements(html, 'form')) {
        const button = elements(form, 'button').find(([, text]) => readable(text) === name)
        if (!button) continue
        if (method !== 'post') throw missing('form that is posted')
        const body = contents(form)
        if (button[0].name) body.set(button[0].name, button[0].value ?? '')
        return visit(action, { method: 'POST', body })
      }
      throw missing(`link or button "${name}"`)
    },
    close: async () => undefined,
  }
}
