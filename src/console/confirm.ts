import { type Html, html } from '../pages/html.ts'
import { NO_PROBLEMS, type Problems, problemNote, textField } from './field.ts'

/** What cannot be undone and so asks to type the name of what it is done to. */
export interface Confirmation {
  /** Name of the field. */
  name: string
  label: string
  /** What it does, as in "To …, type …". */
  deed: string
  /** What must be typed. */
  expected: string
  /** Capital and small letters are the same. */
  anyCase?: boolean
}

/** What is wrong with what was typed, or null when it is what was expected. */
export function confirmationProblems(
  { name, expected, anyCase = false }: Confirmation,
  typed = '',
): Problems | null {
  const given = typed.trim()
  const isSame = given === expected.trim() || (anyCase && given.toUpperCase() === expected.toUpperCase())
  return isSame ? null : { fields: { [name]: `must be ${expected}` }, rest: [] }
}

/** The field to type into, the button that does it, and the way back. */
export function confirmationFields(
  { name, label, deed, expected }: Confirmation,
  { typed = '', problems = NO_PROBLEMS, submit, back, keep }: ConfirmationForm,
): Html {
  const hint = html`To ${deed}, type <strong class="mono"><bdi>${expected}</bdi></strong>`
  return html`${problemNote(problems)}${textField({ name, label, hint, value: typed, problems }, { required: true })}<div class="row"><button class="danger">${submit}</button><a class="button" href="${back}">${keep}</a></div>`
}

interface ConfirmationForm {
  typed?: string | undefined
  problems?: Problems | undefined
  /** On the button. */
  submit: string
  /** Where the way back leads, and what it is called. */
  back: string
  keep: string
}
