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
  const field = { given, problems }
  return searchBox({
    value: given.q ?? '',
    ...(problems.q && { problem: sentence(problems.q) }),
    more: html`${onChips.map((name) => html`<input type="hidden" name="${name}" value="${given[name]}">`)}
<details${inFields.length > 0 && html` open`}><summary>More filters${inFields.length > 0 && ` (${inFields.length} in use)`}</summary>
<div class="fields">
${text(field, 'domain', 'Verified domain')}
${text(field, 'min_score', 'Lowest trust score', 'decimal')}
${text(field, 'specialization', 'Specialization')}
${select(field, 'operator_status', 'Operator', [['suspended', 'Suspended']], 'Active')}
${select(
  field,
  'status',
  'Status',
  [
    ['deactivated', 'Deactivated'],
    ['all', 'All'],
  ],
  'Active',
)}
${['operator', 'platform', 'under'].map((name) => given[name] !== undefined && text(field, name, NAME[name] ?? name))}
</div>
<p class="row"><button class="light">Apply</button> <a href="/agents">Clear all</a></p></details>`,
  })
}

const NAME: Record<string, string> = {
  operator: 'Operator ID',
  platform: 'Platform slug',
  under: 'Domains below',
}

type Field = Pick<Requested, 'given' | 'problems'>

function text({ given, problems }: Field, name: string, label: string, mode = 'text'): Html {
  return html`<div><label for="${name}">${label}</label>
<input id="${name}" name="${name}" inputmode="${mode}" value="${given[name] ?? ''}" autocomplete="off"${invalid(name, problems[name])}>${problemOf(name, problems[name])}</div>`
}

function select(
  { given, problems }: Field,
  name: string,
  label: string,
  options: readonly (readonly [value: string, label: string])[],
  ifOmitted: string,
): Html {
  return html`<div><label for="${name}">${label}</label>
<select id="${name}" name="${name}"${invalid(name, problems[name])}><option value="">${ifOmitted}</option>${options.map(
    ([value, shown]) =>
      html`<option value="${value}"${given[name] === value && html` selected`}>${shown}</option>`,
  )}</select>${problemOf(name, problems[name])}</div>`
}

function invalid(name: string, problem: string | undefined): Html | undefined {
  return problem === undefined ? undefined : html` aria-invalid="true" aria-describedby="${name}-problem"`
}

function problemOf(name: string, problem: string | undefined): Html | undefined {
  return problem === undefined
    ? undefined
    : html`<div class="bad" id="${name}-problem">${sentence(problem)}</div>`
}
