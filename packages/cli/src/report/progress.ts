import type { Printer } from '../output.ts'

const WIDTH = 30
const EVERY_MS = 100

/** A progress bar, shown only on a terminal. */
export interface Progress {
  show(done: number, text: string): void
  /** Removes the bar, so that something else can be printed. */
  clear(): void
}

/**
 * Creates a progress bar.
 *
 * @param total the final value of `done`; null if unknown
 */
export function makeProgress({ isTerminal }: Printer, total: number | null): Progress {
  if (!isTerminal) return { show: () => undefined, clear: () => undefined }
  let last = 0
  return {
    show(done, text) {
      const now = Date.now()
      if (now - last < EVERY_MS && done !== total) return
      last = now
      process.stderr.write(`\r\u001b[K${total === null ? '' : `${barOf(done / (total || 1))} `}${text}`)
    },
    clear: () => void process.stderr.write('\r\u001b[K'),
  }
}

function barOf(share: number): string {
  const full = Math.round(WIDTH * Math.min(1, share))
  const percent = `${Math.floor(100 * Math.min(1, share))}%`
  return `${'█'.repeat(full)}${'░'.repeat(WIDTH - full)} ${percent.padStart(5)}`
}
