import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { buffer } from 'node:stream/consumers'

interface Options {
  method?: string
  /** Each value of a list is a header of its own, which `fetch` would join. */
  headers?: Record<string, string | string[]>
}

const EMPTY = [204, 304]

/** Requests a page like a browser that navigates to it, without following redirects; `fetch` cannot send this mode. */
export async function navigate(
  url: string,
  { method = 'GET', headers = {} }: Options = {},
): Promise<Response> {
  const sent = request(url, { method, headers: { 'Sec-Fetch-Mode': 'navigate', ...headers } }).end()
  const [reply] = (await once(sent, 'response')) as [IncomingMessage]
  const { statusCode: status = 0, headersDistinct } = reply
  const named = Object.entries(headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  )
  const content = await buffer(reply)
  return new Response(EMPTY.includes(status) ? null : content, { status, headers: named })
}
