import { accountPages } from './account/index.ts'
import { agentParts } from './agents/index.ts'
import { ownKeyPages } from './keys/own.ts'
import { overviewPages } from './overview/page.ts'
import { signInPages } from './sign-in.ts'

/** Everything below /console. */
export const consoleParts = [signInPages, overviewPages, ...agentParts, ownKeyPages, accountPages]
