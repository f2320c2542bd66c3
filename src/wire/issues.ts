import type * as z from 'zod'
import type { FieldProblem } from '../errors.ts'

const ISSUES_MAX = 5

/**
 * The problems of an input: each field with its rule, at most five.
 *
 * @param whole the name of the whole input, for issues that are not about one field
 */
export function problemsOf(issues: readonly z.core.$ZodIssue[], whole = 'body'): FieldProblem[] {
  return issues
    .slice(0, ISSUES_MAX)
    .map((issue) => [issue.path.map(String).join('.') || whole, issue.message])
}
