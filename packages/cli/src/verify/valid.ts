import { Failure, messageOf } from '../failure.ts'

/**
 * The result of a verification.
 *
 * @throws Failure if the URL or the number is invalid
 */
export async function valid<Result>(verifying: Promise<Result>): Promise<Result> {
  try {
    return await verifying
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new Failure(`cannot verify: ${messageOf(error)}`, { cause: error })
  }
}
