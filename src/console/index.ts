import { overviewPages } from './overview.ts'
import { signInPages } from './sign-in.ts'

/** Everything below /console. */
export const consoleParts = [signInPages, overviewPages]
