import type { ShownKey } from '../../keys/store.ts'
import { count, day, type Html, html, when } from '../../pages/html.ts'
import { table } from '../../pages/table.ts'
import { stateTag } from '../frame.ts'

const COLUMNS = 'Name | Begins with | Permissions | #Per minute | #Requests | Last used | State'

/** A table of API keys; the active ones link to their page. */
export function keyTable(keys: readonly ShownKey[], path: string, now: Date): Html {
  const rows = keys.map((key) => row(key, path, now))
  return table('API keys', COLUMNS, rows)
}

function row(key: ShownKey, path: string, now: Date): Html {
  const isLive = key.status === 'active'
  return html`<tr><th scope="row">${isLive ? html`<a href="${path}/${key.id}"><bdi>${key.name}</bdi></a>` : html`<bdi>${key.name}</bdi>`}</th>
<td class="number">${key.key_prefix}…</td><td class="one">${key.permissions.join(', ')}</td>
<td class="n">${count(key.rate_limit_per_minute)}</td><td class="n">${count(key.requests_count)}</td>
<td class="one">${key.last_used_at ? when(key.last_used_at, now) : 'never'}</td>
<td class="one">${keyState(key, now)}</td></tr>`
}

/** The state of a key of an operator, a platform, or an agent. */
export function keyState(
  {
    revoked_at,
    expires_at,
    reason,
  }: Pick<ShownKey, 'revoked_at' | 'expires_at'> & { reason?: string | null },
  now: Date,
): Html {
  const end = revoked_at ?? (expires_at && expires_at <= now.toISOString() ? expires_at : null)
  if (end)
    return html`${stateTag(revoked_at ? 'revoked' : 'expired')} <span class="hint">${reason && html`${reason}, `}${when(end, now)}</span>`
  return html`${stateTag('active')}${expires_at && html` <span class="hint">until ${day(expires_at)}</span>`}`
}
