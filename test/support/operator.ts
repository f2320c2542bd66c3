import { join } from 'node:path'
import { openSecrets, subjectOf } from '../../local/stand-ins/identity/secrets.ts'
import type { StackFile } from '../../scripts/support/stack-file.ts'
import { defaultName } from '../../src/auth/name.ts'
import { signIn } from '../../src/auth/store.ts'
import { makeToken } from '../../src/credentials/token.ts'
import { connect } from '../../src/db/client.ts'
import { each, NOTIFICATION_PREFS } from '../../src/db/enums.ts'
import { FIRST_TIER, QUOTAS } from '../../src/db/tiers.ts'
import { hashSecret } from '../../src/lib/crypto.ts'
import { uuidv7 } from '../../src/lib/ids.ts'
import { DAY_MS } from '../../src/lib/time.ts'
import { credentialsKeys } from './credentials.ts'

const SESSION_LIFE_MS = 30 * 86_400_000
const NOT_YET_OLD_MS = 60 * DAY_MS
const GIVE_UP_MS = 15_000

export interface Operator {
  id: string
  email: string
  token: string
}

/**
 * Opens a session with the statement of the callback, without the other steps of a sign-in. The subject is that of the
 * identity provider, so that a sign-in leads to the same operator.
 *
 * @param dir folder of the stack
 */
export async function openSession(dir: string, at: StackFile, email: string, now: Date): Promise<Operator> {
  const token = await makeToken('session', await credentialsKeys(dir))
  const secret = await hashSecret(token.secret)
  const address = email.toLowerCase()
  const env = { DATABASE_URL: at.database_url, NEON_SQL_URL: at.neon_sql_url }
  const fresh = uuidv7(now)
  const { id } = await signIn(connect(env, AbortSignal.timeout(GIVE_UP_MS)), {
    operator: {
      id: fresh,
      issuer: at.identity_url,
      subject: subjectOf(openSecrets(join(dir, 'identity')).state, address),
      email: address,
      name: defaultName(fresh),
      agent_limit: QUOTAS[FIRST_TIER].active_agents,
      notification_prefs: each(NOTIFICATION_PREFS, () => true),
    },
    session: {
      id: token.id,
      ...secret,
      ip: '203.0.113.1',
      user_agent: 'test',
      // A session of the past expires late enough that the cleanup of another test does not remove it.
      expires_at: new Date(
        Math.max(now.getTime() + SESSION_LIFE_MS, Date.now() - NOT_YET_OLD_MS),
      ).toISOString(),
    },
    now,
  })
  return { id, email, token: token.text }
}
