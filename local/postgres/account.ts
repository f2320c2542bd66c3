import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** The user that runs the server: empty for the current user; another one for root, which PostgreSQL rejects. */
export type Account = { uid?: number; gid?: number }

/**
 * Finds the user that runs the server.
 *
 * @param data the data folder of an earlier start; its owner keeps running the server
 * @throws Error when this process is root and the machine has no other user for the server
 */
export function findAccount(data: string | null): Account {
  if (process.getuid?.() !== 0) return {}
  if (data && fs.existsSync(data)) {
    const { uid, gid } = fs.statSync(data)
    return { uid, gid }
  }
  for (const name of ['postgres', 'nobody']) {
    const [uid, gid] = ['-u', '-g'].map((flag) => spawnSync('id', [flag, name], { encoding: 'utf8' }).stdout)
    if (uid && gid) return { uid: Number(uid), gid: Number(gid) }
  }
  throw new Error('PostgreSQL does not run as root, and there is no user "postgres" or "nobody" to run it as')
}

export function isReachable(path: string, account: Account): boolean {
  return account.uid === undefined || spawnSync('test', ['-x', path], { ...account, cwd: '/' }).status === 0
}

/** Makes the folder `home` passable for the user of the server; false if a parent folder is closed to it. */
export function letThrough(home: string, account: Account): boolean {
  if (isReachable(home, account)) return true
  if (isReachable(dirname(home), account)) fs.chmodSync(home, fs.statSync(home).mode | 0o011)
  return isReachable(home, account)
}

/** A folder that the server's user can reach; the same `key` returns the same folder (/var/tmp survives a reboot). */
export function openFolder(key: string, account: Account): string {
  const parent = isReachable('/var/tmp', account) ? '/var/tmp' : tmpdir()
  const folder = join(parent, `agent-registry-${createHash('sha256').update(key).digest('hex').slice(0, 16)}`)
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
  const found = fs.lstatSync(folder)
  if (!found.isDirectory() || ![0, account.uid].includes(found.uid)) {
    throw new Error(`${folder} belongs to another user`)
  }
  give(folder, account)
  return folder
}

export function give(path: string, { uid, gid }: Account): void {
  if (uid !== undefined && gid !== undefined) fs.chownSync(path, uid, gid)
}
