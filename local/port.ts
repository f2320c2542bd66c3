import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

const PATIENCE_MS = 1_500 // what a killed stack left may need a moment to end
const RETRY_MS = 100

// Below the ports from which systems take those of outgoing connections, one of which could be faster than its listener.
const [LOWEST, HIGHEST] = [10_000, 32_767]

/** A free port of 127.0.0.1. */
export async function freePort(): Promise<number> {
  for (;;) {
    try {
      return await listen(randomInt(LOWEST, HIGHEST + 1), '127.0.0.1')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    }
  }
}

/**
 * Makes sure that nobody listens on a port of this machine.
 *
 * @throws Error that names the port and the way out
 */
export async function requireFreePort(port: number): Promise<void> {
  for (const until = Date.now() + PATIENCE_MS; ; await sleep(RETRY_MS)) {
    try {
      await listen(port, '127.0.0.1')
      await listen(port, '::1').catch((error) => {
        if (error.code === 'EADDRINUSE') throw error // else the machine has no IPv6
      })
      return
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code !== 'EADDRINUSE') {
        throw new Error(`port ${port} cannot be used (${code}); choose another: PORT=8788 npm run dev`)
      }
      if (Date.now() > until) {
        throw new Error(`port ${port} is taken; choose another: PORT=${port + 1} npm run dev`)
      }
    }
  }
}

async function listen(port: number, host: string): Promise<number> {
  const server = createServer().listen(port, host)
  await once(server, 'listening')
  server.close()
  await once(server, 'close')
  return port
}
