import { Option } from 'commander'
import { type Schemas, unwrap } from '../../client/index.ts'
import type { Context } from './context.ts'
import { EXIT, Failure } from './failure.ts'
import { plain } from './output.ts'

const PER_PAGE = 50

/** The option that names a platform. */
export interface OfPlatform {
  platform?: string
}

/** The option for one of several platforms. */
export function platformOption(): Option {
  return new Option('--platform <slug>', 'your platform; required if you have several')
}

/**
 * Finds the platform of a command: the named one, else the only active one of the operator.
 *
 * @throws Failure when there is none, or more than one
 */
export async function requirePlatform(
  context: Context,
  slug: string | undefined,
): Promise<Schemas['Platform']> {
  const query = { page: 1, per_page: PER_PAGE }
  const { data } = await unwrap(context.operator().GET('/platforms', { params: { query } }))
  const active = data.filter(({ status }) => status === 'active')
  if (slug !== undefined) {
    const found = data.find((one) => one.slug === slug)
    if (found) return found
    const names = active.map((one) => one.slug).join(', ')
    throw new Failure(`you have no platform '${plain(slug)}'`, {
      status: EXIT.no,
      next: names ? `yours: ${names}` : 'agentreg platforms create my-platform',
    })
  }
  const [only, ...others] = active
  if (!only)
    throw new Failure('you have no platform', {
      next: 'agentreg platforms create my-platform --webhook-url https://…; to try a receiver without one: agentreg trigger incident.created --forward-to http://localhost:3000',
    })
  if (others.length === 0) return only
  throw new Failure('you have several platforms', {
    next: `add --platform with one of ${active.map((one) => one.slug).join(', ')}`,
  })
}
