import { type Html, html } from './html.ts'

/** The filters of a list: the given values, and the problem of each that is invalid. */
interface Filters {
  given: Readonly<Record<string, string | undefined>>
  problems?: Readonly<Record<string, string>>
}

/** A field of the form that filters a list; `kind` has its attributes. */
export function filterText(filters: Filters, name: string, label: string, kind = html``): Html {
  return field(
    filters,
    name,
    label,
    (more) =>
      html`<input id="${name}" name="${name}" value="${filters.given[name] ?? ''}" autocomplete="off"${kind}${more}>`,
  )
}

/**
 * A choice in the form that filters a list.
 *
 * @param any the label of the choice that filters nothing
 */
export function filterChoice(
  filters: Filters,
  name: string,
  label: string,
  any: string,
  options: readonly (readonly [value: string, label: string])[],
): Html {
  const choices = options.map(
    ([value, text]) =>
      html`<option value="${value}"${value === filters.given[name] && html` selected`}>${text}</option>`,
  )
  return field(
    filters,
    name,
    label,
    (more) =>
      html`<select id="${name}" name="${name}"${more}><option value="">${any}</option>${choices}</select>`,
  )
}

function field({ problems }: Filters, name: string, label: string, input: (more: Html | '') => Html): Html {
  const problem = problems?.[name]
  const more = problem ? html` aria-invalid="true" aria-describedby="${name}-problem"` : ''
  return html`<div class="field"><label for="${name}">${label}</label>
${input(more)}${problem && html`<div class="bad" id="${name}-problem">${problem}</div>`}</div>`
}

/** Values as options whose labels are the values. */
export const asOptions = (values: readonly string[]) => values.map((value) => [value, value] as const)
