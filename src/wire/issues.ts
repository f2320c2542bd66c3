import type * as z from 'zod'

const ISSUES_MAX = 5

/**
 * Describes the issues of an input in one line: each field with its rule, at most five.
 *
 * @param whole the name of the whole input, for issues that are not about one field
 */
export function describeIssues(issues: readonly z.core.$ZodIssue[], whole = 'body'): string {
  return issues
    .slice(0, ISSUES_MAX)
    .map((issue) => `${issue.path.map(String).join('.') || whole}: ${issue.message}`)
    .join('; ')
}
