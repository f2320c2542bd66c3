import type { Handler, MiddlewareHandler } from 'hono'
import type { App } from './context.ts'

type Handlers = readonly (Handler<App> | MiddlewareHandler<App>)[]

interface Route {
  method: string
  path: string
  handler: Handlers[number]
}

/** Routes in the order in which they are mounted on the app; `use` adds middleware for the paths after it. */
export interface AppPart {
  readonly routes: readonly Route[]
  get(path: string, ...handlers: Handlers): AppPart
  post(path: string, ...handlers: Handlers): AppPart
  on(method: string, path: string, ...handlers: Handlers): AppPart
  use(...handlers: Handlers): AppPart
  /** Adds the routes of another part below a path, which may be empty. */
  route(path: string, other: AppPart): AppPart
}

/** A part of the app, to be mounted on it. Not a Hono app: forty of those would slow down every start of an isolate. */
export function part(): AppPart {
  const routes: Route[] = []
  const self: AppPart = {
    routes,
    get: (path, ...handlers) => self.on('GET', path, ...handlers),
    post: (path, ...handlers) => self.on('POST', path, ...handlers),
    use: (...handlers) => self.on('ALL', '/*', ...handlers),
    on(method, path, ...handlers) {
      for (const handler of handlers) routes.push({ method, path, handler })
      return self
    },
    route(path, other) {
      for (const route of other.routes) routes.push({ ...route, path: path + route.path })
      return self
    },
  }
  return self
}
