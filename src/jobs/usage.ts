import { dropUsage, takeUsage } from '../credentials/usage.ts'
import { addUsage } from '../keys/store.ts'
import type { JobScope } from './scope.ts'

/** Adds the usage of API keys that was counted in Redis to their rows. */
export async function foldUsage({ env, db, now }: JobScope): Promise<{ keys: number }> {
  const fold = await takeUsage(env)
  if (!fold) return { keys: 0 }
  await addUsage(db, fold, now)
  await dropUsage(env, fold)
  return { keys: fold.usage.length }
}
