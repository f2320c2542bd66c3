import type { ApiResponse, Call, Harness } from './harness.ts'

const ENTITIES: Record<string, string> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' }

/** Decodes the entities of HTML or XML. */
export const decode = (text: string) =>
  text.replace(/&(lt|gt|quot|#39|amp);/g, (_, name) => ENTITIES[name] ?? '')

/** The text of HTML, with whitespace collapsed. */
export function textOf(html: string): string {
  return decode(html.replace(/<head>.*?<\/head>/s, '').replace(/<[^>]*>/g, ' '))
    .replace(/\s+/g, ' ')
    .trim()
}

/** The text of a page, read without a browser. */
export interface ShownPage extends ApiResponse {
  /** All text of the body. */
  words: string
  /** The text below a heading with this id. */
  section(id: string): string
  /** The points in time in a section. */
  times(id: string): string[]
  /** The rows of the first table whose caption starts with this text, each with the texts of its cells. */
  rows(caption: string): string[][]
}

/** Requests a page like a browser. */
export async function getPage(
  { api }: Pick<Harness, 'api'>,
  path: string,
  call: Call = {},
): Promise<ShownPage> {
  const headers = { Accept: 'text/html', ...call.headers }
  const response = await api('GET', `/${path}`, { ...call, headers })
  const sectionOf = (id: string) => {
    const found = new RegExp(`<section aria-labelledby="${id}">(.*?)</section>`, 's').exec(response.text)?.[1]
    if (found === undefined) throw new Error(`${path} has no section ${id}`)
    return found
  }
  return {
    ...response,
    words: textOf(/<body>(.*)<\/body>/s.exec(response.text)?.[1] ?? ''),
    section: (id) => textOf(sectionOf(id)),
    times: (id) => [...sectionOf(id).matchAll(/<time datetime="([^"]*)"/g)].map(([, time = '']) => time),
    rows: (caption) => {
      const table = response.text.split('<details>').find((part) => part.startsWith(`<summary>${caption}`))
      const body = /<tbody>(.*?)<\/tbody>/s.exec(table ?? '')?.[1] ?? ''
      return body
        .split('<tr>')
        .slice(1)
        .map((row) =>
          row
            .split('<td')
            .slice(1)
            .map((cell) => textOf(`<td${cell}`)),
        )
    },
  }
}
