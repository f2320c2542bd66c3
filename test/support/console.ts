import { signInToConsole } from '../../local/sign-in.ts'
import { fromBase64, hmacSha256, toBase64 } from '../../src/lib/crypto.ts'
import { uuidv7 } from '../../src/lib/ids.ts'
import { credentialsKeys } from './credentials.ts'
import { freshIp, type Harness } from './harness.ts'

type Stack = Pick<Harness, 'base_url' | 'mailbox_url'>

const FORM = 'application/x-www-form-urlencoded'

/** A visitor of the console without scripts, who reads pages and sends their forms. */
export type ConsoleVisitor = Awaited<ReturnType<typeof openConsole>>

/** Signs an operator in to the console. */
export async function openConsole(
  { base_url, mailbox_url }: Stack,
  email: string,
  headers: Record<string, string> = {},
) {
  const cookie = await signInToConsole({ baseUrl: base_url, mailboxUrl: mailbox_url, email, headers })
  const common = { Cookie: cookie, Accept: 'text/html', 'CF-Connecting-IP': freshIp(), ...headers }

  /** The cookie of the notice to show next, as a browser keeps it; responses have it without the path. */
  let notice = ''

  async function ask(path: string, init: RequestInit & { headers: Record<string, string> }) {
    const Cookie = init.headers.Cookie + notice
    const response = await fetch(base_url + path, {
      redirect: 'manual',
      ...init,
      headers: { ...init.headers, Cookie },
    })
    const [, next] = /reg_notice=([^;]*)/.exec(response.headers.get('set-cookie') ?? '') ?? []
    if (next !== undefined) notice = next && `; reg_notice=${next}`
    const text = await response.text()
    const title = /<title>(.*?)<\/title>/s.exec(text)?.[1]
    return {
      status: response.status,
      headers: response.headers,
      location: response.headers.get('location'),
      notice: next?.split('.', 2).join('.'),
      title,
      text,
    }
  }

  const get = (path: string) => ask(path, { headers: common })

  /** The hidden fields of the form on a page that is sent to `action`. */
  async function fieldsOf(page: string, action: string): Promise<Record<string, string>> {
    const { text, status } = await get(page)
    const form = text.split('<form ').find((one) => one.includes(`action="${action}"`))
    if (!form) throw new Error(`${page} (${status}) has no form for ${action}`)
    const hidden =
      form.split('</form>', 1)[0]?.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g) ?? []
    return Object.fromEntries([...hidden].map(([, name = '', value = '']) => [name, value]))
  }

  /** Posts fields like a browser from a page of this origin, unless the headers say otherwise. */
  function post(
    action: string,
    fields: Record<string, string> | [string, string][],
    more: Record<string, string> = {},
  ) {
    const headers = { ...common, 'Content-Type': FORM, Origin: base_url, ...more }
    return ask(action, { method: 'POST', headers, body: new URLSearchParams(fields).toString() })
  }

  /** Opens a page, fills in the form that is sent to `action`, and sends it. */
  async function send(page: string, action: string, fields: Record<string, string | string[]>) {
    const hidden = await fieldsOf(page, action)
    const given = Object.entries(fields).flatMap(([name, value]) =>
      [value].flat().map((one): [string, string] => [name, one]),
    )
    return post(action, [...Object.entries(hidden), ...given])
  }

  return { cookie, get, fieldsOf, post, send }
}

/** Creates an operator who is signed in to the console and has a token for the API. */
export async function newVisitor(h: Harness, options: Parameters<Harness['newOperator']>[0] = {}) {
  const operator = await h.newOperator(options)
  return { operator, visitor: await openConsole(h, operator.email) }
}

/** The problem shown at a field of a form; undefined if there is none. */
export const problemAt = (text: string, field: string) =>
  new RegExp(`id="${field}-problem">(.*?)</div>`, 's').exec(text)?.[1]

/** Computes the hidden fields of a form for a session that no page shows it to, with the key of the service. */
export async function forgedFields(
  dir: string,
  { cookie }: Pick<ConsoleVisitor, 'cookie'>,
  action: string,
  shownAt = new Date(),
) {
  const [key = ''] = await credentialsKeys(dir)
  const session = /reg_cons_(\w{8})/.exec(cookie)?.[1]
  const _nonce = uuidv7(shownAt)
  const mac = await hmacSha256(fromBase64(key), ['form', session, action, _nonce].join('\n'))
  return { _nonce, _token: toBase64(mac) }
}
