import type { Adapter, AdapterFactory, AdapterPayload } from 'oidc-provider'

interface Entry {
  payload: AdapterPayload
  expires: number
}

/**
 * Stores the provider's interactions, grants and codes in memory.
 *
 * The provider's own in-memory adapter holds only 1,000 entries: a few hundred concurrent sign-ins evict their own
 * codes. Sessions are not stored, so that every sign-in asks for the email address again.
 */
export function memoryStore(): AdapterFactory {
  const entries = new Map<string, Entry>()
  return (model): Adapter => {
    const keyOf = (id: string) => `${model}:${id}`
    return {
      async upsert(id, payload, expiresIn = Number.POSITIVE_INFINITY) {
        if (model === 'Session') return
        entries.set(keyOf(id), { payload, expires: Date.now() + expiresIn * 1000 })
      },
      async find(id) {
        const entry = entries.get(keyOf(id))
        return entry && entry.expires > Date.now() ? entry.payload : undefined
      },
      async findByUid() {},
      async findByUserCode() {},
      async consume(id) {
        const entry = entries.get(keyOf(id))
        if (entry) entry.payload.consumed = Math.floor(Date.now() / 1000)
      },
      async destroy(id) {
        entries.delete(keyOf(id))
      },
      async revokeByGrantId(grantId) {
        for (const [key, entry] of entries) if (entry.payload.grantId === grantId) entries.delete(key)
      },
    }
  }
}
