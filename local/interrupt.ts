const PARENT_POLL_MS = 500
const EXIT_INTERRUPTED = 130 // 128 + SIGINT, by convention
const ECHO_MS = 500 // if this process replaced npm's shell, one Ctrl-C arrives twice: from the terminal and from npm

/**
 * Listens for requests to stop: Ctrl-C, SIGTERM, SIGHUP, or the exit of npm's shell that started this process (npm
 * forwards SIGTERM to that shell only). A second Ctrl-C ends this process at once.
 *
 * @returns a signal that aborts on the first request
 */
export function onInterrupt(): AbortSignal {
  const interruption = new AbortController()
  let interruptedAt = 0
  const stop = (isCtrlC: boolean) => {
    if (!interruptedAt) interruptedAt = Date.now()
    else if (isCtrlC && Date.now() - interruptedAt > ECHO_MS) process.exit(EXIT_INTERRUPTED)
    interruption.abort()
  }
  process.on('SIGINT', () => stop(true))
  process.on('SIGTERM', () => stop(false))
  process.on('SIGHUP', () => stop(false))
  if (process.env.npm_lifecycle_event) {
    const parent = process.ppid
    setInterval(() => process.ppid !== parent && stop(false), PARENT_POLL_MS).unref()
  }
  // The terminal, or the reader of the output, may exit first.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  return interruption.signal
}
