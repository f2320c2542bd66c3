import { randomInt } from 'node:crypto'
import { z } from 'zod'
import { readStackFile } from '../scripts/support/stack-file.ts'
import { cookieJar } from './cookies.ts'

const STEP_TIMEOUT_MS = 15_000
const MAX_REDIRECTS = 10

const signedInShape = z.object({ session_token: z.string(), expires_at: z.string(), operator: z.unknown() })
const rejectionShape = z.object({ error: z.object({ code: z.string(), message: z.string() }) })
const messagesShape = z.array(z.object({ link: z.string().nullable() }))

export type SignedIn = z.infer<typeof signedInShape>

interface Options {
  baseUrl: string
  mailboxUrl: string
  email: string
  /** Sent with every request to the Worker, e.g. `X-Test-Now`. */
  headers?: Record<string, string>
}

/** A private address, so that the limit per IP address does not stop a script that signs in many people. */
const randomIp = () => `10.${randomInt(256)}.${randomInt(256)}.${randomInt(1, 255)}`

async function rejection(response: Response, url: URL): Promise<Error> {
  const text = await response.text()
  const where = `${url.origin}${url.pathname}: ${response.status}`
  try {
    const { error } = rejectionShape.parse(JSON.parse(text))
    return new Error(`${where} ${error.code}: ${error.message}`)
  } catch {
    const said = /role="alert">(.*?)</s.exec(text)?.[1] ?? /<h1>(.*?)<\/h1>/s.exec(text)?.[1]
    return new Error(said ? `${where} ${said}` : where)
  }
}

/**
 * A minimal browser: cookies, redirects, and extra headers that only the Worker receives.
 *
 * @param isEnd whether a redirect to this URL is not followed
 */
export function browser(
  workerOrigin: string,
  workerHeaders: Record<string, string>,
  isEnd: (url: URL) => boolean = () => false,
) {
  const jar = cookieJar()

  async function step(url: URL, init: RequestInit): Promise<Response> {
    const headers = new Headers(url.origin === workerOrigin ? workerHeaders : {})
    const cookies = jar.header(url)
    if (cookies) headers.set('cookie', cookies)
    const signal = AbortSignal.timeout(STEP_TIMEOUT_MS)
    const response = await fetch(url, { ...init, headers, redirect: 'manual', signal }).catch((cause) => {
      throw new Error(`${url.origin} does not respond`, { cause })
    })
    jar.store(url, response)
    return response
  }

  async function visit(address: string, init: RequestInit = {}) {
    let url = new URL(address)
    let response = await step(url, init)
    for (let hops = 0; response.status >= 300 && response.status < 400; hops += 1) {
      const location = response.headers.get('location')
      if (!location || hops === MAX_REDIRECTS) throw await rejection(response, url)
      await response.body?.cancel()
      url = new URL(location, url)
      if (isEnd(url)) return { url, response }
      response = await step(url, {})
    }
    if (!response.ok) throw await rejection(response, url)
    return { url, response }
  }

  return { visit, cookies: jar.header }
}

/**
 * Signs in as a browser does: Worker, provider, mailbox, link, callback.
 *
 * @param options.baseUrl the Worker's address; `options.mailboxUrl` the mailbox of the local provider
 * @returns the response of the Worker's callback
 * @throws Error that names the URL that failed, its status, and the Worker's error code and message
 */
export async function signIn(options: Options): Promise<SignedIn> {
  const { response } = await walk(options, `/api/v1/auth/sign-in?email=${encodeURIComponent(options.email)}`)
  return signedInShape.parse(await response.json())
}

/**
 * Signs in to the console as a browser does.
 *
 * @returns the `Cookie` header of the console session
 * @throws Error as `signIn` does
 */
export async function signInToConsole(options: Options): Promise<string> {
  const { response, cookies } = await walk(options, '/console/sign-in')
  await response.body?.cancel()
  return cookies(new URL(options.baseUrl))
}

/** Makes the steps of a sign-in: to its end, or to a URL. */
export async function walk(
  { baseUrl, mailboxUrl, email, headers = {} }: Options,
  beginning: string,
  isEnd?: (url: URL) => boolean,
) {
  const own = { 'CF-Connecting-IP': randomIp(), ...headers }
  const { visit, cookies } = browser(new URL(baseUrl).origin, own, isEnd)
  const requested = await visit(baseUrl + beginning)
  await requested.response.body?.cancel()
  const form = { method: 'POST', body: new URLSearchParams({ email }) }
  const sent = await visit(requested.url.href, form)
  await sent.response.body?.cancel()

  const mail = await visit(`${mailboxUrl}/messages.json?to=${encodeURIComponent(email)}`)
  const messages = messagesShape.parse(await mail.response.json())
  // Someone else may sign in with the same address: the link of this sign-in is below its own interaction.
  const link = messages.find((message) => message.link?.startsWith(`${requested.url.href}/`))?.link
  if (!link) throw new Error(`no sign-in link for ${email} at ${mailboxUrl}`)
  return { ...(await visit(link)), cookies }
}

async function main(email: string | undefined): Promise<void> {
  if (!email) throw new Error('usage: npm run -s sign-in -- alice@example.com')
  const stack = readStackFile()
  const signedIn = await signIn({ baseUrl: stack.base_url, mailboxUrl: stack.mailbox_url, email })
  console.log(signedIn.session_token)
}

if (import.meta.main) {
  main(process.argv[2]).catch((error: unknown) => {
    console.error(`sign-in: ${error instanceof Error ? error.message : error}`)
    process.exitCode = 1
  })
}
