import { randomUUID } from 'node:crypto'
import type { Answer, Body, Harness, Operator } from './harness.ts'

/** A domain that nobody has published anything under. */
export const freshDomain = () => `${randomUUID()}.example.com`

type Method = 'dns' | 'http'
type Changes = { domain?: string; method?: Method; now?: Date }

/** What a test publishes in the stand-in for the world's DNS and web sites, and asks of it. */
export function webControl({ web_stand_in_url, api }: Pick<Harness, 'web_stand_in_url' | 'api'>) {
  const put = async (path: string, body: object) => {
    const response = await fetch(web_stand_in_url + path, { method: 'PUT', body: JSON.stringify(body) })
    if (response.status !== 204) throw new Error(`PUT ${path}: ${response.status} ${await response.text()}`)
  }

  const control = {
    putRecord: (name: string, txt: string | string[] | null, code = 0) =>
      put('/records', { name, txt, code }),

    putFile: (
      domain: string,
      body: unknown,
      options: { status?: number; delay_ms?: number; headers?: Record<string, string> } = {},
    ) => put('/files', { domain, body, ...options }),

    /** Asks what to publish for an agent; answers that. */
    async challenge(reg: string, owner: Operator, changes: Changes = {}): Promise<Body> {
      const { domain = freshDomain(), method = 'dns', now } = changes
      const call = { token: owner.token, body: { domain, method }, ...(now && { now }) }
      const answer = await api('POST', `/agents/${reg}/ownership/challenge`, call)
      if (answer.status !== 201) throw new Error(`challenge: ${answer.status} ${answer.text}`)
      return answer.body
    },

    /** Publishes what a challenge asks for. */
    publish: (challenge: Body): Promise<void> =>
      challenge.method === 'dns'
        ? control.putRecord(challenge.record_name, challenge.record_value)
        : control.putFile(challenge.domain, challenge.content),

    /** Takes back what a challenge asked for. */
    withdraw: (challenge: Body): Promise<void> =>
      challenge.method === 'dns'
        ? control.putRecord(challenge.record_name, null)
        : control.putFile(challenge.domain, null),

    verify: (reg: string, owner: Operator, now?: Date): Promise<Answer> =>
      api('POST', `/agents/${reg}/ownership/verify`, { token: owner.token, ...(now && { now }) }),

    /** Proves an agent's domain from end to end; answers the challenge. */
    async prove(reg: string, owner: Operator, changes: Changes = {}): Promise<Body> {
      const challenge = await control.challenge(reg, owner, changes)
      await control.publish(challenge)
      const answer = await control.verify(reg, owner, changes.now)
      if (answer.status !== 200) throw new Error(`verify: ${answer.status} ${answer.text}`)
      return challenge
    },
  }
  return control
}
