import { registeredAgents } from '@agentreg/verify'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'

const LIFE_SECONDS = 900

interface DirectoryKey {
  kid: string
  jwk: object
  holder: { reg: string; [field: string]: unknown }
  added_at?: string
}

/**
 * A registry of keys behind `fetch`, with tokens made by jose.
 *
 * @param extraKeys further public keys of the registry
 */
export async function keyDirectory(issuer: string, keys: DirectoryKey[], extraKeys: object[] = []) {
  const pair = await generateKeyPair('ES256')
  const own = { ...(await exportJWK(pair.publicKey)), kid: 'directory', use: 'sig', alg: 'ES256' }
  const state = { status: 200, now: 0, asked: [] as string[] }
  const tokenFor = ({ jwk, holder, added_at = '2026-11-01T00:00:00.000Z' }: DirectoryKey, seconds: number) =>
    new SignJWT({
      verification: { ...holder, checked_at: new Date(seconds * 1000).toISOString() },
      cnf: { jwk },
      key: { added_at, index: null },
    })
      .setProtectedHeader({ alg: 'ES256', typ: 'agent-verification+jwt', kid: 'directory' })
      .setIssuer(issuer)
      .setSubject(holder.reg)
      .setIssuedAt(seconds)
      .setExpirationTime(seconds + LIFE_SECONDS)
      .sign(pair.privateKey)
  const fetch = async (url: string): Promise<Response> => {
    if (url === `${issuer}/.well-known/jwks.json`) return Response.json({ keys: [own, ...extraKeys] })
    state.asked.push(url)
    if (state.status === 0) throw new TypeError('offline')
    const key = keys.find(({ kid }) => url === `${issuer}/api/v1/agent-keys/${kid}/token`)
    if (!key || state.status === 404)
      return Response.json({ error: { code: 'NOT_FOUND', message: 'no such key' } }, { status: 404 })
    if (state.status !== 200) return Response.json({ error: { code: 'X' } }, { status: state.status })
    return Response.json({ token: await tokenFor(key, state.now) })
  }
  return { state, keys, tokenFor, fetch, open: () => registeredAgents(issuer, { fetch }) }
}
