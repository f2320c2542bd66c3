import type { Client } from 'openapi-fetch'
import type { components, operations, paths } from './api.ts'

export type { operations, paths }

/** The schemas of the API by name, for example `Schemas['Agent']`. */
export type Schemas = components['schemas']

/** An error response, with the codes that its route can respond with. */
export type ErrorResponse =
  components['responses'][keyof components['responses']]['content']['application/json']

export type ErrorCode = ErrorResponse['error']['code']

/** A client of the registry: `GET`, `POST`, `PATCH` and `DELETE` with the paths of the document, and `paginate`. */
export interface RegistryClient extends Client<paths, 'application/json'> {
  /**
   * Iterates over the items of a list; each page is fetched when it is needed.
   *
   * @param path a list, by page or by cursor: `/agents/{reg}/activity`
   * @param init parameters of the path and of the query, as for `GET`
   * @throws RegistryError for an error response
   */
  paginate<Path extends ListPath>(path: Path, ...init: PageInit<Path>): AsyncGenerator<Item<Path>, void>
}

type PageField = 'pagination' | 'next_cursor'

type BodyOf<Path extends keyof paths> = paths[Path] extends {
  get: { responses: { 200: { content: { 'application/json': infer Body } } } }
}
  ? Body
  : never

/** The paths of paginated lists. */
export type ListPath = {
  [Path in keyof paths]: Extract<keyof BodyOf<Path>, PageField> extends never ? never : Path
}[keyof paths]

/** The type of the items of a list. */
export type Item<Path extends ListPath> = BodyOf<Path> extends { data: (infer One)[] } ? One : never

type ParametersOf<Path extends ListPath> = paths[Path] extends { get: { parameters: infer Parameters } }
  ? Pick<Parameters, Extract<keyof Parameters, 'path' | 'query'>>
  : never

/** Optional only if the path has no parameters. */
type PageInit<Path extends ListPath> =
  ParametersOf<Path> extends { path: object }
    ? [init: { params: ParametersOf<Path>; signal?: AbortSignal }]
    : [init?: { params?: Partial<ParametersOf<Path>>; signal?: AbortSignal }]
