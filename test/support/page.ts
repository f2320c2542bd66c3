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
