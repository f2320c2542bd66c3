import { randomUUID } from 'node:crypto'
import type { ApiResponse, Body, Harness, Operator } from './harness.ts'

/** A unique domain. */
export const freshDomain = () => `${randomUUID()}.example.com`

type Method = 'dns' | 'http'
type Changes = { domain?: string; method?: Method; now?: Date }

/** The operations of tests on the stand-in for DNS and websites. */
export function webControl({ web_stand_in_url, api }: Pick<Harness, 'web_stand_in_url' | 'api'>) {
  const put = async (path: string, body: object) => {
    const response = await fetch(web_stand_in_url + path, { method: 'PUT', body: JSON.stringify(body) })
    if (response.status !== 204) throw new Error(`PUT ${path}: ${response.status} ${await response.text()}`)
  }

  const control = {
    putRecord: (name: string, txt: string | string[] | null) => put('/records', { name, txt }),

    putFile: (
      domain: string,
      body: unknown,
      options: { status?: number; delay_ms?: number; headers?: Record<string, string> } = {},
    ) => put('/files', { domain, body, ...options }),

    /** Starts a challenge for an agent; returns it. */
    async challenge(reg: string, owner: Operator, changes: Changes = {}): Promise<Body> {
      const { domain = freshDomain(), method = 'dns', now } = changes
      const call = { token: owner.token, body: { domain, method }, ...(now && { now }) }
      const reply = await api('POST', `/agents/${reg}/ownership/challenge`, call)
      if (reply.status !== 201) throw new Error(`challenge: ${reply.status} ${reply.text}`)
      return reply.body
    },

    /** Publishes the proof of a challenge. */
    publish: (challenge: Body): Promise<void> =>
      challenge.method === 'dns'
        ? control.putRecord(challenge.record_name, challenge.record_value)
        : control.putFile(challenge.domain, challenge.content),

    /** Removes the proof of a challenge. */
    withdraw: (challenge: Body): Promise<void> =>
      challenge.method === 'dns'
        ? control.putRecord(challenge.record_name, null)
        : control.putFile(challenge.domain, null),

    verify: (reg: string, owner: Operator, now?: Date): Promise<ApiResponse> =>
      api('POST', `/agents/${reg}/ownership/verify`, { token: owner.token, ...(now && { now }) }),

    /** Verifies an agent's domain in all steps; returns the challenge. */
    async prove(reg: string, owner: Operator, changes: Changes = {}): Promise<Body> {
      const challenge = await control.challenge(reg, owner, changes)
      await control.publish(challenge)
      const reply = await control.verify(reg, owner, changes.now)
      if (reply.status !== 200) throw new Error(`verify: ${reply.status} ${reply.text}`)
      return challenge
    },
  }
  return control
}
