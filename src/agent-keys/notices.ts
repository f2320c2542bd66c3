import type { KeyReason } from '../db/enums.ts'
import type { FoundChangeable } from '../members/found-store.ts'
import type { Notice } from '../notifications/store.ts'

type Agent = Pick<FoundChangeable, 'operator_id'> & { agent: { reg: string; name: string } }

/** Tells the operator of an agent that a key was registered for it. */
export function addedNotice({ operator_id, agent: { reg, name } }: Agent, kid: string): Notice {
  const body = `Whoever has the private key of ${kid} signs requests as ${name} from now on.`
  return { operator_id, type: 'agent_key', reg, title: `New key for ${name}`, body }
}

/** Tells the operator of an agent that one of its keys was revoked. */
export function revokedNotice({ operator_id, agent }: Agent, kid: string, why: KeyReason): Notice {
  const { reg, name } = agent
  const body = `Requests signed with ${kid} are not from ${name} any more. Reason: ${why}.`
  return { operator_id, type: 'agent_key', reg, title: `Key of ${name} revoked`, body }
}
