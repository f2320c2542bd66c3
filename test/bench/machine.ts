import { cpus } from 'node:os'

/** Where and when something was measured, for the head of a table. */
export function measuredBy(command: string): string {
  const [cpu] = cpus()
  const day = new Date().toISOString().slice(0, 10)
  const parts = `${cpus().length} × ${cpu?.model.trim() || 'processor'}, Node ${process.versions.node}`
  return `Measured on ${day} by \`${command}\` (${parts}).`
}
