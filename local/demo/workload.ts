import { DAY_MS, MINUTE_MS } from '../../src/lib/time.ts'
import type { LoggedEvent } from '../../src/trust/rollup.ts'

const DAYS = 21
const BUSY_DAY_TASKS = 14
const QUIET_DAY_TASKS = 8
const OPENING_MINUTE = 7 * 60
const WORKDAY_MINUTES = 11 * 60
const RESTART_AT_DAY = 11
const FAILURE_EVERY = 33
const SUPPLIERS = ['Acme GmbH', 'Nordlys AS', 'Officina Conti', 'Van Dam BV']

/** An event and the time at which it happened. */
export interface Happening extends LoggedEvent {
  at: Date
}

/**
 * Three weeks of work of an agent that reads invoices, up to yesterday, in chronological order: tasks on every day,
 * a few errors, and one planned restart. Only the dates differ between runs.
 *
 * @param now its UTC day is the day after the last day of work
 */
export function invoiceWork(now: Date): Happening[] {
  const today = Math.floor(now.getTime() / DAY_MS)
  return Array.from({ length: DAYS }, (_, day) => oneDay(day, (today - DAYS + day) * DAY_MS)).flat()
}

/** An incident of severity warning. */
export function duplicateIncident(at: Date): Happening {
  const metadata = {
    title: 'Invoice booked twice',
    description: 'A supplier sent the same invoice by email and by post; both were booked.',
    invoices: 1,
  }
  return { event_type: 'incident', severity: 'warning', metadata, at }
}

function oneDay(day: number, midnight: number): Happening[] {
  const at = (minute: number) => new Date(midnight + minute * MINUTE_MS)
  const tasks = day % 7 < 5 ? BUSY_DAY_TASKS : QUIET_DAY_TASKS
  const pause = WORKDAY_MINUTES / tasks
  const happenings: Happening[] = []
  if (day === 0) happenings.push({ ...lifecycle('startup'), at: at(OPENING_MINUTE - 5) })
  if (day === RESTART_AT_DAY) {
    happenings.push({ ...lifecycle('shutdown'), at: at(OPENING_MINUTE - 10) })
    happenings.push({ ...lifecycle('startup'), at: at(OPENING_MINUTE - 8) })
  }
  for (let i = 0; i < tasks; i++) {
    happenings.push({ ...task(day * 100 + i), at: at(OPENING_MINUTE + i * pause) })
  }
  if (day % 6 === 2) {
    const severity = day % 4 === 0 ? 'error' : 'warning'
    const metadata = { message: 'the mail server did not return', retried: true }
    happenings.push({ event_type: 'error', severity, metadata, at: at(OPENING_MINUTE + WORKDAY_MINUTES) })
  }
  return happenings
}

function lifecycle(event_type: 'startup' | 'shutdown'): LoggedEvent {
  return { event_type, severity: 'info', metadata: { version: event_type === 'startup' ? '2.4.1' : '2.4.0' } }
}

/** A task whose duration and quality vary with its number. */
function task(number: number): LoggedEvent {
  const supplier = SUPPLIERS[number % SUPPLIERS.length]
  const response_ms = 800 + ((number * 347) % 1_300)
  const shared = { invoice: `INV-${String(number).padStart(4, '0')}`, supplier, response_ms }
  if (number % FAILURE_EVERY === 5) {
    return { event_type: 'task_failed', severity: 'warning', metadata: { ...shared, quality: 0 } }
  }
  const quality = (90 + ((number * 7) % 11)) / 100
  return { event_type: 'task_completed', severity: 'info', metadata: { ...shared, quality } }
}
