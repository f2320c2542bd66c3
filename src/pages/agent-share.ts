import { copyable, type Html, html, section, unbroken } from './html.ts'

/** The badge of an agent, snippets to embed it, and the other forms of its page. */
export function shareSection(
  reg: string,
  { baseUrl, state, signsTokens }: { baseUrl: string; state: string; signsTokens: boolean },
): Html {
  const page = `${baseUrl}/agents/${reg}`
  const badge = `${page}/badge.svg`
  const api = `${baseUrl}/api/v1`
  // The address contains the state, so that no cached badge contradicts the page.
  const content = html`<p><img src="/agents/${reg}/badge.svg?now=${encodeURIComponent(state)}" alt="Current badge of this agent" height="20"></p>
<details><summary>Embed the badge</summary>
${copyable('share-markdown', 'Markdown', unbroken(`[![Agent ${reg}](${badge})](${page})`))}
${copyable('share-html', 'HTML', unbroken(`<a href="${page}"><img src="${badge}" alt="Agent ${reg}" height="20"></a>`))}
${copyable('share-rst', 'reStructuredText', unbroken(`.. image:: ${badge}\n   :target: ${page}\n   :alt: Agent ${reg}`))}
</details>
<details><summary>Verify from a program</summary>
${copyable('share-verify', 'Standing and score', unbroken(`curl ${api}/verify/${reg}`))}
${signsTokens && copyable('share-token', 'Token, which can be checked offline', unbroken(`curl ${api}/verify/${reg}/token`))}
</details>
<ul class="plain"><li><a href="/api/v1/agents/${reg}">JSON</a></li><li><a href="/agents/${reg}/log">Activity log</a></li><li><a href="/transparency#${reg}">Verify in the transparency log</a></li></ul>`
  return section('share', 'Share', content)
}
