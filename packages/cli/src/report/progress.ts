import type { Printer } from '../output.ts'

const WIDTH = 30
const EVERY_MS = 100

/** A bar that shows how far a long work has come, on a terminal alone. */
export interface Progress {
  show(done: number, text: string): void
  /** Takes the bar away, so that something else can be printed. */
  clear(): void
}

/**
 * Makes a bar.
 *
 * @param total what `done` will be at the end; null when nobody knows
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
  const percent = `${Math.floor(100 * Math.min(1, share))} %`
  return `${'█'.repeat(full)}${'░'.repeat(WIDTH - full)} ${percent.padStart(5)}`
}
