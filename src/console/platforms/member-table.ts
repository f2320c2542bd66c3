import type { Ctx } from '../../http/context.ts'
import type { Member } from '../../members/responses.ts'
import { count, day, type Html, html } from '../../pages/html.ts'
import { table } from '../../pages/table.ts'
import { stateTag } from '../frame.ts'
import { button } from '../shell.ts'
import { pathOf, type ShownPlatform } from './frame.ts'

/** A table of the agents on a platform, with buttons to confirm or remove them. */
export function memberTable(c: Ctx, platform: ShownPlatform, members: readonly Member[]): Html {
  const rows = members.map((member) => row(c, platform, member))
  const actions = platform.status === 'active' ? ' | Actions' : ''
  return table('Agents', `Agent${actions} | State | Operator | #Score | #Tasks | Since`, rows)
}

function row(c: Ctx, platform: ShownPlatform, member: Member): Html {
  const { reg, operator_id, trust_score_overall: score, platform_leaves_at: leaves } = member
  const at = pathOf(platform, `/agents/${reg}`)
  const actions = html`<td><div class="row">${member.platform_state === 'claimed' && button(c, `${at}/confirm`, 'Confirm')}<a class="button light" href="${at}/remove">Remove…</a></div></td>`
  return html`<tr><th scope="row"><a href="/agents/${reg}"><bdi>${member.name}</bdi></a><br><span class="number hint">${reg}</span></th>
${platform.status === 'active' && actions}
<td class="one">${stateTag(member.platform_state)}${member.status !== 'active' && html` ${stateTag(member.status)}`}${leaves && html`<br><span class="hint">leaves ${day(leaves)}</span>`}</td>
<td class="cut"><a href="/operators/${operator_id}"><bdi>${member.operator_name}</bdi></a><br><span class="hint">${member.operator_name_verified ? '✓ name checked' : 'name not checked'}</span></td>
<td class="n">${score ?? '–'}</td><td class="n">${count(member.tasks_completed)}</td><td class="one">${day(member.platform_since)}</td></tr>`
}
