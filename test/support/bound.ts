import { expect } from 'vitest'
import type { ApiResponse } from './harness.ts'

export const YEAR_SECONDS = 365 * 86_400

/** Expects the security headers of every response. */
export function expectBound({ headers }: Pick<ApiResponse, 'headers'>, what: string): void {
  const policy = headers.get('content-security-policy') ?? ''
  expect(policy.split('; '), what).toEqual(
    expect.arrayContaining(["default-src 'none'", "frame-ancestors 'none'"]),
  )
  expect(policy, what).not.toMatch(/unsafe|\*|https?:/)
  expect(headers.get('x-content-type-options'), what).toBe('nosniff')
  expect(headers.get('referrer-policy'), what).toBe('no-referrer')
}

/** Expects the security headers of a page, which also restrict the targets of forms and the base URL. */
export function expectPage(response: Pick<ApiResponse, 'headers'>, what: string): void {
  expect(response.headers.get('content-type'), what).toBe('text/html; charset=utf-8')
  expectBound(response, what)
  const policy = response.headers.get('content-security-policy') ?? ''
  expect(policy.split('; '), what).toContain("base-uri 'none'")
  expect(policy, what).toMatch(/form-action '(self|none)'/)
}
