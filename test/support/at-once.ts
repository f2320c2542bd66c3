import type { ApiResponse } from './harness.ts'

/** The number of writers in tests of races. */
export const WRITERS = 20

/** Does the work of all writers at the same time. */
export const atOnce = <T>(work: (n: number) => Promise<T>, count = WRITERS): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, n) => work(n)))

export const withStatus = (responses: readonly ApiResponse[], status: number) =>
  responses.filter((response) => response.status === status)

/** The number of responses by status. */
export const statusesOf = (responses: readonly ApiResponse[]) =>
  Object.fromEntries([...Map.groupBy(responses, ({ status }) => status)].map(([s, all]) => [s, all.length]))
