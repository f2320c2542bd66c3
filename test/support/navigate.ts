import { request } from 'node:http'

interface Options {
  method?: string
  headers?: Record<string, string>
  body?: string
}

const EMPTY = [204, 304]

/** Requests a page like a browser that navigates to it, without following redirects; `fetch` cannot send this mode. */
export function navigate(
  url: string,
  { method = 'GET', headers = {}, body }: Options = {},
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers: { 'Sec-Fetch-Mode': 'navigate', ...headers } }, (reply) => {
      const pieces: Buffer[] = []
      reply.on('data', (piece: Buffer) => pieces.push(piece))
      reply.on('error', reject)
      reply.on('end', () => {
        const { statusCode: status = 0, headersDistinct } = reply
        const named = Object.entries(headersDistinct).flatMap(([name, values = []]) =>
          values.map((value): [string, string] => [name, value]),
        )
        const content = EMPTY.includes(status) ? null : Buffer.concat(pieces)
        resolve(new Response(content, { status, headers: named }))
      })
    })
    sent.on('error', reject)
    sent.end(body)
  })
}
