import { type Html, html, sentence } from './html.ts'

/** The problems of a rejected form: by field, and those of the form as a whole. */
export interface Problems {
  readonly fields: Readonly<Record<string, string>>
  readonly rest: readonly string[]
}

export const NO_PROBLEMS: Problems = { fields: {}, rest: [] }

/** The note above a rejected form; empty if there are no problems. */
export function problemNote({ fields, rest }: Problems): Html | '' {
  const count = Object.keys(fields).length
  if (count === 0 && rest.length === 0) return ''
  const summary =
    rest.length > 0
      ? rest.join('; ')
      : count === 1
        ? 'one field needs a change'
        : `${count} fields need a change`
  return html`<div class="note bad" role="alert"><p>${sentence(summary)}</p></div>`
}

type Options = readonly (readonly [value: string, label: string])[]
type Hint = Html | string

interface Field {
  name: string
  label: string
  /** Shown below the input. */
  hint: Hint
  value: string
  problem: string | undefined
  isFilter: boolean
}

type Values = Readonly<Record<string, string | number | null | undefined>>

export const REQUIRED = { required: true }

/**
 * The fields of a form, each with its value and its problem.
 *
 * @param values stored or submitted
 */
export function fieldsOf(values: Values, problems: Problems = NO_PROBLEMS) {
  const field = fieldIn(values, problems, false)
  return {
    note: problemNote(problems),
    text: (name: string, label: string, hint?: Hint, kind: TextKind = {}) =>
      textField(field(name, label, hint), kind),
    choice: (name: string, label: string, options: Options, hint?: Hint) =>
      selectField(field(name, label, hint), options),
    checks: (name: string, label: string, options: Options, ticked: readonly string[], hint?: Hint) =>
      checkFields(field(name, label, hint), options, ticked),
  }
}

/**
 * The fields of a form that filters a list: none is required.
 *
 * @param given the filters of the address
 */
export function filtersOf(given: Values, problems: Problems = NO_PROBLEMS) {
  const field = fieldIn(given, problems, true)
  return {
    text: (name: string, label: string, kind: TextKind = {}) => textField(field(name, label), kind),
    /** `any` is the label of the choice that filters nothing. */
    choice: (name: string, label: string, any: string, options: Options) =>
      selectField(field(name, label), [['', any], ...options]),
  }
}

function fieldIn(values: Values, { fields }: Problems, isFilter: boolean) {
  return (name: string, label: string, hint: Hint = ''): Field => {
    return { name, label, hint, value: String(values[name] ?? ''), problem: fields[name], isFilter }
  }
}

/** Values as options whose labels are the values. */
export const asOptions = (values: readonly string[]) => values.map((value) => [value, value] as const)

interface TextKind {
  type?: string
  inputmode?: string
  required?: boolean
  lines?: number
  autocomplete?: string
}

function textField(
  field: Field,
  { type = 'text', inputmode, required = false, lines = 0, autocomplete = 'off' }: TextKind,
): Html {
  const { name, label, value, isFilter } = field
  const more = html`${inputmode && html` inputmode="${inputmode}"`}${stateOf(field)}${required && html` required`}`
  return html`<div class="field"><label for="${name}">${label}${!required && !isFilter && html` <span class="hint">(optional)</span>`}</label>
${
  lines > 0
    ? html`<textarea id="${name}" name="${name}" rows="${lines}"${more}>
${value}</textarea>`
    : html`<input id="${name}" name="${name}" type="${type}" value="${value}" autocomplete="${autocomplete}"${more}>`
}
${hintAndProblem(field)}</div>`
}

function selectField(field: Field, options: Options): Html {
  const { name, label, value } = field
  return html`<div class="field"><label for="${name}">${label}</label>
<select id="${name}" name="${name}"${stateOf(field)}>${options.map(
    ([one, text]) => html`<option value="${one}"${one === value && html` selected`}>${text}</option>`,
  )}</select>
${hintAndProblem(field)}</div>`
}

function checkFields(field: Field, options: Options, ticked: readonly string[]): Html {
  const { name, label, problem } = field
  return html`<fieldset${describedBy(field)}><legend>${label}</legend>${options.map(
    ([one, text], n) =>
      html`<div class="check"><input type="checkbox" id="${name}-${one}" name="${name}" value="${one}"${ticked.includes(one) && html` checked`}${n === 0 && problem && html` autofocus`}> <label for="${name}-${one}">${text}</label></div>`,
  )}${hintAndProblem(field)}</fieldset>`
}

function stateOf(field: Field): Html {
  return html`${describedBy(field)}${field.problem && html` aria-invalid="true"${!field.isFilter && html` autofocus`}`}`
}

function describedBy({ name, hint, problem }: Field): Html | '' {
  const described = [hint && `${name}-hint`, problem && `${name}-problem`].filter(Boolean).join(' ')
  return described && html` aria-describedby="${described}"`
}

function hintAndProblem({ name, hint, problem }: Field): Html {
  return html`${hint && html`<div class="hint" id="${name}-hint">${hint}</div>`}${problem && html`<div class="bad" id="${name}-problem">${problem}</div>`}`
}
