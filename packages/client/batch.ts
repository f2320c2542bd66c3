import type { ErrorResponse, Schemas } from './types.ts'

/** The error of a batch of which nothing was stored, with the result of each event in `data`. */
export type NothingStored = Schemas['BatchAnswer'] & ErrorResponse

interface Result {
  data?: unknown
  error?: unknown
  response: Response
}

/** Whether the error of a call is that no event of a batch was stored. */
export function storedNothing(error: unknown): error is NothingStored {
  return typeof error === 'object' && error !== null && 'accepted' in error
}

/** The result of a call: a batch of which nothing was stored is an error, although its status is 207. */
export function judgeBatch<R extends Result>(result: R): R {
  if (result.response.status !== 207) return result
  const batch = result.data as Schemas['BatchAnswer'] // the only route with this status
  const [first] = batch.data
  if (batch.accepted > 0 || !first || !('error' in first)) return result
  const message = `none of ${batch.rejected} events was stored; the first: ${first.error.message}`
  const error = { ...batch, error: { ...first.error, message } }
  return { ...result, data: undefined, error }
}
