import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

const PATIENCE_MS = 1_500 // processes of a killed stack may take a moment to end
const RETRY_MS = 100

// Below the ephemeral ports, so that no outgoing connection takes the port before its listener does, or until the next
// start; and above 10080, the highest port to which `fetch` does not connect (Fetch standard, section 2.9).
const [LOWEST, HIGHEST] = [10_081, 32_767]

/** Finds a free port of 127.0.0.1. */
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
 * Checks that a port of this machine is free.
 *
 * @throws Error that names the port and a command with another one
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
