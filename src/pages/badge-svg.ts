import { type Html, html } from './html.ts'

/** The content of a badge; fields as in the endpoint schema of shields.io. */
export interface Badge {
  label: string
  message: string
  /** `#rrggbb` */
  color: string
}

/** White text has a contrast of at least 4.5:1 on it. */
export const GREY = '#5f6871'

const DEFAULT_LABEL = 'agent registry'
const LABEL_MAX = 30
const PAD = 6
const LABEL_GROUND = '#444d56'

/** Character widths of Verdana at 11 px, in tenths of a pixel: the width, then the characters that have it. */
const WIDTHS: [tenths: number, characters: string][] = [
  [30, "il'"],
  [38, 'jf '],
  [40, '.,'],
  [43, '!t'],
  [47, 'Ir'],
  [50, 'J/-:;()[]|"\\'],
  [57, 'csz'],
  [61, '?L'],
  [65, 'kvxyaeTFY'],
  [70, 'bdghnopqu0123456789EP_*$'],
  [76, 'ABCKRSVXZ'],
  [80, '&'],
  [86, 'DGHNOQU'],
  [90, 'w+=<>~#^'],
  [95, 'M'],
  [108, 'mW@'],
  [118, '%'],
]
const WIDEST = 115

const tenthsOf = new Map(
  WIDTHS.flatMap(([tenths, texts]) => [...texts].map((text) => [text, tenths] as const)),
)

/** The requested label, shortened to fit a badge; the default label if none was requested. */
export function labelOf(requested: string | undefined): string {
  const text = [...(requested ?? '').replace(/\s+/g, ' ').replace(/\p{C}/gu, '').trim()]
    .slice(0, LABEL_MAX)
    .join('')
  return text === '' ? DEFAULT_LABEL : text
}

/** A badge of 20 px height. */
export function badgeSvg({ label, message, color }: Badge, isFlat: boolean): Html {
  const [left, right] = [widthOf(label), widthOf(message)]
  const [start, whole] = [left + 2 * PAD, left + right + 4 * PAD]
  return html`<svg xmlns="http://www.w3.org/2000/svg" width="${whole}" height="20" viewBox="0 0 ${whole} 20" role="img" aria-label="${label}: ${message}"><title>${label}: ${message}</title>${
    isFlat && html`<clipPath id="r"><rect width="${whole}" height="20" rx="3"/></clipPath>`
  }<g${isFlat && html` clip-path="url(#r)"`}><rect width="${start}" height="20" fill="${LABEL_GROUND}"/><rect x="${start}" width="${whole - start}" height="20" fill="${color}"/></g><g fill="#fff" font-family="Verdana,Geneva,DejaVu Sans,sans-serif" font-size="11"><text x="${PAD}" y="14" textLength="${left}">${label}</text><text x="${start + PAD}" y="14" textLength="${right}">${message}</text></g></svg>`
}

/** The width of a text in whole pixels; `textLength` fits other fonts to it. */
function widthOf(text: string): number {
  let tenths = 0
  for (const character of text) tenths += tenthsOf.get(character) ?? WIDEST
  return Math.ceil(tenths / 10)
}
