import { filtersOf } from './field.ts'
import { type Html, html, sentence } from './html.ts'
import { isOnChip } from './search-chips.ts'
import { FILTERS, PAGE_ONLY, type Requested } from './search-query.ts'

/** The search box, also used on the start page and error pages. */
export function searchBox({
  value = '',
  problem,
  more,
}: {
  value?: string
  problem?: string
  more?: Html
} = {}): Html {
  return html`<form class="search" role="search" action="/agents">
<label for="q">Agent number, domain, or words</label>
<div class="row"><input id="q" name="q" type="search" value="${value}" maxlength="200" autocomplete="off" spellcheck="false" aria-describedby="q-hint${problem && ' q-problem'}"${problem && html` aria-invalid="true"`}><button>Search</button></div>
${problem && html`<p class="bad" id="q-problem">${problem}</p>`}
<p class="hint" id="q-hint">For example <span class="number">REG-2026-0001-0042-U</span>, agents.example.com, or invoices</p>
${more}</form>`
}

/** The form of the search page: the search box and the filters, which are expanded if one is in use. It keeps what was chosen on chips. */
export function searchForm({ given, problems }: Requested): Html {
  const used = [...FILTERS, ...PAGE_ONLY].filter((name) => name !== 'q' && given[name] !== undefined)
  const [onChips, inFields] = [used.filter(isOnChip), used.filter((name) => !isOnChip(name))]
  const sentences = Object.entries(problems).map(([name, problem]) => [name, sentence(problem)])
  const { text, choice } = filtersOf(given, { fields: Object.fromEntries(sentences), rest: [] })
  return searchBox({
    value: given.q ?? '',
    ...(problems.q && { problem: sentence(problems.q) }),
    more: html`${onChips.map((name) => html`<input type="hidden" name="${name}" value="${given[name]}">`)}
<details${inFields.length > 0 && html` open`}><summary>More filters${inFields.length > 0 && ` (${inFields.length} in use)`}</summary>
<div class="fields">
${text('domain', 'Verified domain')}
${text('min_score', 'Lowest trust score', { inputmode: 'decimal' })}
${text('specialization', 'Specialization')}
${choice('operator_status', 'Operator', 'Active', SUSPENDED)}
${choice('status', 'Status', 'Active', STATUSES)}
${Object.entries(NAME).map(([name, label]) => given[name] !== undefined && text(name, label))}
</div>
<p class="row"><button class="light">Apply</button> <a href="/agents">Clear all</a></p></details>`,
  })
}

const NAME: Record<string, string> = {
  operator: 'Operator ID',
  platform: 'Platform slug',
  under: 'Domains below',
}
const SUSPENDED = [['suspended', 'Suspended']] as const
const STATUSES = [
  ['deactivated', 'Deactivated'],
  ['all', 'All'],
] as const
