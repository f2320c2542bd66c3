import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import Stripe from 'stripe'
import { expect } from 'vitest'
import type { ApiResponse, Harness, Operator } from './harness.ts'
import { settingsOf } from './worker-settings.ts'

/** The person on a document, as fields of the page of a check. */
export type Person = Record<'first_name' | 'last_name' | 'birth_date', string>

/** A unique person. */
export function freshPerson(): Person {
  const last_name = `Q${crypto.randomUUID().replaceAll(/[-\d]/g, 'x')}`
  return { first_name: 'Ada', last_name, birth_date: '1985-12-10' }
}

export const START = '/operators/me/kyc/start'

/** The operations of tests on the identity provider of a stack, like Stripe's dashboard or a person. */
export function kycControl(h: Pick<Harness, 'dir' | 'kyc_url' | 'api' | 'newOperator'>) {
  const { dir, kyc_url, api, newOperator } = h
  const vars = settingsOf(dir)
  const secret = vars.STRIPE_WEBHOOK_SECRET ?? ''
  const stored = () => JSON.parse(readFileSync(join(dir, 'kyc/kyc.json'), 'utf8'))
  const { hostname: host, port } = new URL(kyc_url)
  const stripe = new Stripe(vars.STRIPE_SECRET_KEY ?? '', { host, port, protocol: 'http', telemetry: false })
  const sessions = stripe.identity.verificationSessions

  /** The sessions of an operator at the provider, newest first. */
  const sessionsOf = async ({ id }: Operator) =>
    (await sessions.list({ client_reference_id: id, limit: 100 })).data

  const control = {
    stripe,
    sessionsOf,

    /** The number of webhooks that the registry has not accepted yet. */
    undelivered: (): number => stored().undelivered.length,

    /** A key that must not read sensitive data of a document. */
    secretKey: (): string => stored().secret_key,

    /** Creates an operator that was verified at a time. */
    async verifiedOperator(now = new Date()): Promise<Operator> {
      const operator = await newOperator()
      await api('POST', START, { token: operator.token })
      await control.send('verified', await control.openSession(operator), { now })
      return operator
    },

    /** Starts a check, approves it as this person, and waits until the registry has received the result. */
    async approve(operator: Operator, person: Person): Promise<void> {
      const { body } = await api('POST', START, { token: operator.token })
      await control.decide(body.verification_url, { outcome: 'approve', ...person })
      const state = async () => (await api('GET', '/operators/me/kyc', { token: operator.token })).body
      await expect.poll(async () => (await state()).history[0].status).not.toBe('pending')
    },

    /** The newest open session of an operator. */
    async openSession(operator: Operator): Promise<string> {
      const open = (await sessionsOf(operator)).find(({ status }) => status === 'requires_input')
      if (!open) throw new Error('no open session')
      return open.id
    },

    /** Sends the form on the page of a check. */
    async decide(url: string, form: Record<string, string>): Promise<void> {
      const body = new URLSearchParams(form)
      const response = await fetch(url, { method: 'POST', body, redirect: 'manual' })
      if (response.status !== 303) throw new Error(`${url}: ${response.status}`)
    },

    /** Sends a webhook about a session with a signature of Stripe. */
    async send(
      type: 'verified' | 'requires_input' | 'canceled' | 'processing' | 'created',
      session: string,
      options: { id?: string; now?: Date; fields?: object } = {},
    ): Promise<ApiResponse> {
      const { id = `evt_${crypto.randomUUID()}`, now, fields } = options
      const status = type === 'created' ? 'requires_input' : type
      const error = { code: 'document_expired', reason: 'The document has expired.' }
      const last_error = type === 'requires_input' ? error : null
      const object = { id: session, object: 'identity.verification_session', status, last_error, ...fields }
      const event = { id, object: 'event', type: `identity.verification_session.${type}`, data: { object } }
      const body = JSON.stringify(event)
      const signature = stripe.webhooks.generateTestHeaderString({ payload: body, secret })
      const headers = { 'Stripe-Signature': signature }
      return api('POST', '//internal/kyc/stripe', { body, headers, ...(now && { now }) })
    },
  }
  return control
}
