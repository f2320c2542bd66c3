import { fieldsOf, type Problems, REQUIRED } from '../pages/field.ts'
import { type Html, html, unbroken } from '../pages/html.ts'

/** An action that cannot be undone: the operator must type the name of its target. */
export interface Confirmation {
  /** Name of the field. */
  name: string
  label: string
  /** The action in the hint "To …, type …". */
  action: string
  /** What must be typed. */
  expected: string
  /** Whether the comparison ignores case. */
  anyCase?: boolean
  /** Label of the button. */
  submit: string
  /** Label of the link back. */
  keep: string
}

/** The problem with the typed text; null if it is the expected one. */
export function confirmationProblems(
  { name, expected, anyCase = false }: Confirmation,
  typed = '',
): Problems | null {
  const given = typed.trim()
  const isSame = given === expected || (anyCase && given.toUpperCase() === expected.toUpperCase())
  return isSame ? null : { fields: { [name]: `must be ${expected}` }, rest: [] }
}

/**
 * The text field, the button that performs the action, and a link back.
 *
 * @param back path of the link
 */
export function confirmationFields(
  { name, label, action, expected, submit, keep }: Confirmation,
  back: string,
  typed = '',
  problems?: Problems,
): Html {
  const { note, text } = fieldsOf({ [name]: typed }, problems)
  const hint = html`To ${action}, type <strong class="mono"><bdi>${unbroken(expected)}</bdi></strong>`
  return html`${note}${text(name, label, hint, REQUIRED)}<div class="row"><button class="danger">${submit}</button><a class="button" href="${back}">${keep}</a></div>`
}
