import type { Permission } from '../db/enums.ts'

/** What each permission of an API key allows. */
export const PERMISSION_MEANING: Readonly<Record<Permission, string>> = {
  read: 'read data that is not public',
  write: 'report events and resolve incidents',
  'activity:report': 'only report events',
}

export const ONLY_SESSIONS = 'Changes to agents, keys, platforms, and the account require a session'
