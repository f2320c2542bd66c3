const PARENT_POLL_MS = 500
const EXIT_INTERRUPTED = 130 // 128 + SIGINT, as shells have it
const ECHO_MS = 500 // where npm's shell is replaced by us, one Ctrl-C arrives twice: from the terminal and from npm

/**
 * Listens for the wish to end: Ctrl-C, SIGTERM, SIGHUP, or the end of npm's shell that has started us (npm
 * passes SIGTERM on to that shell alone). A second Ctrl-C ends this process at once.
 *
 * @returns a signal that aborts at the first wish
 */
export function onInterrupt(): AbortSignal {
  const wish = new AbortController()
  let wishedAt = 0
  const stop = (isImpatient: boolean) => {
    if (!wishedAt) wishedAt = Date.now()
    else if (isImpatient && Date.now() - wishedAt > ECHO_MS) process.exit(EXIT_INTERRUPTED)
    wish.abort()
  }
  process.on('SIGINT', () => stop(true))
  process.on('SIGTERM', () => stop(false))
  process.on('SIGHUP', () => stop(false))
  if (process.env.npm_lifecycle_event) {
    const parent = process.ppid
    setInterval(() => process.ppid !== parent && stop(false), PARENT_POLL_MS).unref()
  }
  // The terminal, or what reads our output, may be gone before us.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  return wish.signal
}
