import { ApiError, ERROR_STATUS } from '../errors.ts'
import { type Html, html, sentence } from '../pages/html.ts'

/** What was wrong with a form: by field, and with the whole. */
export interface Problems {
  readonly fields: Readonly<Record<string, string>>
  readonly rest: readonly string[]
}

export const NO_PROBLEMS: Problems = { fields: {}, rest: [] }

const REJECTED = new Set([400, 402, 403, 409, 410, 422, 429])

/**
 * Does what a form asks for.
 *
 * @param names the form's fields: a rejection that begins with one of them and a colon is shown there
 * @returns what came of it, or why it was rejected, to be shown with the form
 * @throws whatever is no rejection of the input
 */
export async function attempt<T>(
  names: readonly string[],
  work: () => Promise<T>,
): Promise<{ ok: true; value: T } | { ok: false; problems: Problems; status: number }> {
  try {
    return { ok: true, value: await work() }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const status = ERROR_STATUS[error.code]
    const problems = problemsOf(error.message, names)
    // What a field names and is not there is the field's fault; else it is the page that is not there.
    const isOfField = status === 404 && Object.keys(problems.fields).length > 0
    if (!REJECTED.has(status) && !isOfField) throw error
    return { ok: false, problems, status: isOfField ? 400 : status }
  }
}

/** What a form sends for a text that may be missing: null when it was left empty. */
export function emptyToNull(text = ''): string | null {
  return text.trim() || null
}

function problemsOf(message: string, names: readonly string[]): Problems {
  const fields: Record<string, string> = {}
  const rest: string[] = []
  for (const said of message.split('; ')) {
    const name = names.find((one) => said.startsWith(`${one}: `) || said.startsWith(`${one}.`))
    if (name) fields[name] ??= said.slice(said.indexOf(': ') + 2)
    else rest.push(said)
  }
  return { fields, rest }
}

/** What is wrong with the whole form, above it; nothing when nothing is. */
export function problemNote({ fields, rest }: Problems): Html | '' {
  const count = Object.keys(fields).length
  if (count === 0 && rest.length === 0) return ''
  const said =
    rest.length > 0
      ? rest.join('; ')
      : count === 1
        ? 'one field needs a change'
        : `${count} fields need a change`
  return html`<div class="note bad" role="alert"><p>${sentence(said)}</p></div>`
}

interface Field {
  name: string
  label: string
  /** What to know before it is filled in. */
  hint?: Html | string
  value?: string | null | undefined
  problems?: Problems
}

/** A text field with its label, its hint and what was wrong with it. */
export function textField(
  { name, label, hint, value, problems = NO_PROBLEMS }: Field,
  { type = 'text', required = false, lines = 0, autocomplete = 'off' } = {},
): Html {
  const problem = problems.fields[name]
  const more = html`${describedBy(name, hint, problem)}${problem && html` aria-invalid="true"`}${required && html` required`}`
  return html`<div class="field"><label for="${name}">${label}${!required && html` <span class="hint">(optional)</span>`}</label>
${
  lines > 0
    ? html`<textarea id="${name}" name="${name}" rows="${lines}"${more}>
${value ?? ''}</textarea>`
    : html`<input id="${name}" name="${name}" type="${type}" value="${value ?? ''}" autocomplete="${autocomplete}"${more}>`
}
${hintAndProblem(name, hint, problem)}</div>`
}

/** A choice of one among a few. */
export function selectField(
  { name, label, hint, value, problems = NO_PROBLEMS }: Field,
  options: readonly (readonly [value: string, label: string])[],
): Html {
  const problem = problems.fields[name]
  return html`<div class="field"><label for="${name}">${label}</label>
<select id="${name}" name="${name}"${describedBy(name, hint, problem)}${problem && html` aria-invalid="true"`}>${options.map(
    ([one, said]) => html`<option value="${one}"${one === value && html` selected`}>${said}</option>`,
  )}</select>
${hintAndProblem(name, hint, problem)}</div>`
}

/** Several of a few: boxes to tick. */
export function checkFields(
  { name, label, hint, problems = NO_PROBLEMS }: Omit<Field, 'value'>,
  options: readonly (readonly [value: string, label: string])[],
  ticked: readonly string[],
): Html {
  return html`<fieldset${describedBy(name, hint, problems.fields[name])}><legend>${label}</legend>${options.map(
    ([one, said]) =>
      html`<div class="check"><input type="checkbox" id="${name}-${one}" name="${name}" value="${one}"${ticked.includes(one) && html` checked`}> <label for="${name}-${one}">${said}</label></div>`,
  )}${hintAndProblem(name, hint, problems.fields[name])}</fieldset>`
}

function describedBy(name: string, hint: Html | string | undefined, problem: string | undefined): Html | '' {
  const described = [hint && `${name}-hint`, problem && `${name}-problem`].filter(Boolean).join(' ')
  return described && html` aria-describedby="${described}"`
}

function hintAndProblem(name: string, hint: Html | string | undefined, problem: string | undefined): Html {
  return html`${hint && html`<div class="hint" id="${name}-hint">${hint}</div>`}${problem && html`<div class="bad" id="${name}-problem">${problem}</div>`}`
}
