import { randomInt } from 'node:crypto'

const ASK_MS = 15_000 // three times the maximum response time of the service

export interface Ask {
  method?: string
  token?: string | undefined
  json?: object | undefined
  headers?: Record<string, string>
}

export interface Answer {
  status: number
  text: string
  headers: Headers
}

/** Sends a request from a random address; null without a complete response, as from a service that is restarting. */
export async function ask(
  url: string,
  { method = 'GET', token, json, headers }: Ask,
): Promise<Answer | null> {
  try {
    const response = await fetch(url, {
      method,
      redirect: 'manual',
      headers: {
        'CF-Connecting-IP': `10.${randomInt(256)}.${randomInt(256)}.${randomInt(1, 255)}`,
        ...(token && { Authorization: `Bearer ${token}` }),
        ...(json && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(json && { body: JSON.stringify(json) }),
      signal: AbortSignal.timeout(ASK_MS),
    })
    return { status: response.status, text: await response.text(), headers: response.headers }
  } catch {
    return null
  }
}
