import type { World } from './page-world.ts'

/** The viewer of a page: nobody who is signed in, or an operator of the world. */
type Viewer = 'nobody' | keyof World['operators']

/** A page in one of its states. */
export interface PageCase {
  /** The declared route that serves it; static pages have none. */
  route?: string
  state: string
  path: string | ((world: World) => string)
  status: number
  viewer: Viewer
  /** What its title and main part show in this state. */
  shows?: RegExp | undefined
  /** Its size is not checked. */
  isLarge?: true
}

export const page = (
  route: string,
  state: string,
  path: PageCase['path'] = route,
  { status = 200, viewer = 'nobody' as Viewer } = {},
): PageCase => ({ route, state, path, status, viewer })

/** The values of parameters in the world, by the segment before them; others, such as slugs, are themselves. */
const NAMED: Record<string, (world: World) => Readonly<Record<string, string>>> = {
  agents: ({ regs }) => regs,
  operators: ({ operators }) =>
    Object.fromEntries(Object.entries(operators).map(([name, { id }]) => [name, id])),
  deliveries: ({ deliveries }) => deliveries,
  keys: ({ keys }) => keys,
  unsubscribe: ({ unsubscribe }) => ({ token: unsubscribe }),
}

/** The path of a route with the names of its parameters in their order, and a query. */
function pathOf(route: string, of: string) {
  const [names = '', query = ''] = of.split('?')
  return (world: World) => {
    const values = names.split(' ')
    const path = route.replace(/(\w+)\/:\w+(\{[^}]*\})?/g, (_, before: string) => {
      const name = values.shift() ?? ''
      return `${before}/${NAMED[before]?.(world)[name] ?? name}`
    })
    return query ? `${path}?${query}` : path
  }
}

/** A page about things of the world. */
export const about = (
  route: string,
  of: string,
  state = of,
  { status = 200, viewer = 'nobody' as Viewer } = {},
) => page(route, state, pathOf(route, of), { status, viewer })

/** A page of the console; `of` is a query if the route has no parameters. */
export const inConsole = (
  route: string,
  state: string,
  of = '',
  { viewer = 'acme', shows }: { viewer?: Viewer; shows?: RegExp } = {},
): PageCase => ({ ...about(`/console${route}`, of, state, { viewer }), shows })
