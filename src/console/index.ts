import { accountPages } from './account/index.ts'
import { agentParts } from './agents/index.ts'
import { auditPages } from './audit.ts'
import { ownKeyPages } from './keys/own.ts'
import { notificationPages } from './notifications.ts'
import { overviewPages } from './overview/page.ts'
import { platformParts } from './platforms/index.ts'
import { signInPages } from './sign-in.ts'

/** Everything below /console. */
export const consoleParts = [
  signInPages,
  overviewPages,
  ...agentParts,
  ownKeyPages,
  ...platformParts,
  notificationPages,
  auditPages,
  accountPages,
]
