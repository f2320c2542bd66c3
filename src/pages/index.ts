import { agentPages } from './agent.ts'
import { agentLogPages } from './agent-log.ts'
import { badgePages } from './badge.ts'
import { docsPages } from './docs.ts'
import { homePages } from './home.ts'
import { operatorPages } from './operator.ts'
import { platformPages } from './platform.ts'
import { searchPages } from './search.ts'
import { securityTxt } from './security-txt.ts'
import { signatureCards } from './signature-cards.ts'
import { unsubscribePages } from './unsubscribe.ts'

export const pageParts = [
  homePages,
  searchPages,
  signatureCards,
  agentPages,
  agentLogPages,
  badgePages,
  docsPages,
  operatorPages,
  platformPages,
  securityTxt,
  unsubscribePages,
]
