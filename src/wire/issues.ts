import type * as z from 'zod'

const ISSUES_TOLD = 5

/**
 * What is wrong with an input, in one line: each field with its rule, at most five.
 *
 * @param whole what the input is called where the issue is with all of it
 */
export function describeIssues(issues: readonly z.core.$ZodIssue[], whole = 'body'): string {
  return issues
    .slice(0, ISSUES_TOLD)
    .map((issue) => `${issue.path.map(String).join('.') || whole}: ${issue.message}`)
    .join('; ')
}
