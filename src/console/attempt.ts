import { ApiError, describeFields, ERROR_STATUS } from '../errors.ts'
import type { Problems } from '../pages/field.ts'

const REJECTED = new Set([400, 402, 409, 429])

/**
 * Runs the action of a form and catches errors that the form itself can show.
 *
 * @param names the form's fields; an error about one of them is shown at that field
 * @returns the result of `work`, or the problems to show with the form
 * @throws every error that is not about the input
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
    const problems = problemsOf(error, names)
    // A 404 about a field is a problem of the form; any other 404 means that the page does not exist.
    const isOfField = status === 404 && Object.keys(problems.fields).length > 0
    if (!REJECTED.has(status) && !isOfField) throw error
    return { ok: false, problems, status: isOfField ? 400 : status }
  }
}

/** The value of an optional text field: null if it was left empty. */
export function emptyToNull(text = ''): string | null {
  return text.trim() || null
}

function problemsOf({ message, fields: named }: ApiError, names: readonly string[]): Problems {
  if (named.length === 0) return { fields: {}, rest: [message] }
  const fields: Record<string, string> = {}
  const rest: string[] = []
  for (const [field, problem] of named) {
    const name = names.find((one) => field === one || field.startsWith(`${one}.`))
    if (name) fields[name] ??= problem
    else rest.push(describeFields([[field, problem]]))
  }
  return { fields, rest }
}
