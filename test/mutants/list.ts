import { IDENTITY } from './identity.ts'
import type { Mutant } from './mutant.ts'
import { REPUTATION } from './reputation.ts'
import { REQUESTS } from './requests.ts'
import { WEBHOOKS } from './webhooks.ts'

export const MUTANTS: readonly Mutant[] = [...REPUTATION, ...WEBHOOKS, ...REQUESTS, ...IDENTITY]
