import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { STANDINGS } from '../../src/db/enums.ts'
import { capitalized } from '../../src/pages/html.ts'
import { previewPath } from '../../src/pages/layout.ts'
import { LOOKS } from '../../src/pages/standing.ts'
import { STANDING_WORDS } from '../../src/trust/standing.ts'

const SCHEMES = ['light', 'dark'] as const
const TEXT_CONTRAST = 4.5 // WCAG 2.2, 1.4.3
const PART_CONTRAST = 3 // WCAG 2.2, 1.4.11

const app = readFileSync(new URL('../../src/ui/app.css', import.meta.url), 'utf8')

/** The colors of each scheme by the name of their property; those of standings by their class. */
const colors = Object.fromEntries(
  SCHEMES.map((scheme, n) => {
    const roles = [...app.matchAll(/--(\w+): light-dark\((#\w+), (#\w+)\)/g)]
    const tones = [...app.matchAll(/\.is-(\w+)[^{]*\{\s*--tone: light-dark\((#\w+), (#\w+)\)/g)]
    const pairs = [...roles.filter(([, name]) => name !== 'tone'), ...tones]
    return [scheme, Object.fromEntries(pairs.map(([, name, ...both]) => [name, both[n] ?? '']))]
  }),
) as Record<(typeof SCHEMES)[number], Record<string, string>>

/** The relative luminance of a color. Source: WCAG 2.2, "relative luminance". */
function luminance(color: string): number {
  const digits = color.length === 4 ? color.replaceAll(/\w/g, '$&$&') : color
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(digits.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function contrast(a = '', b = ''): number {
  const [dark = 0, light = 0] = [luminance(a), luminance(b)].sort((one, other) => one - other)
  return (light + 0.05) / (dark + 0.05)
}

describe.each(SCHEMES)('the colors of the %s scheme', (scheme) => {
  const of = colors[scheme]

  it.each(['text', 'quiet', 'link', 'good', 'warn', 'bad', ...STANDINGS])('%s can be read', (name) => {
    for (const ground of [of.ground, of.raised])
      expect(contrast(of[name], ground)).toBeGreaterThanOrEqual(TEXT_CONTRAST)
  })

  it.each(['solid', 'danger'])('white can be read on %s, which stands out', (name) => {
    expect(contrast('#fff', of[name])).toBeGreaterThanOrEqual(TEXT_CONTRAST)
    expect(contrast(of[name], of.ground)).toBeGreaterThanOrEqual(PART_CONTRAST)
  })

  it.each(STANDINGS)('the score of %s stands out from its track', (name) => {
    expect(contrast(of[name], of.line)).toBeGreaterThanOrEqual(PART_CONTRAST)
  })

  it('the edges of controls stand out', () => {
    expect(contrast(of.edge, of.ground)).toBeGreaterThanOrEqual(PART_CONTRAST)
  })
})

it.each(STANDINGS)(
  '%s has the same color in pages, badges, and its preview, with its word and icon',
  (standing) => {
    const { icon, color } = LOOKS[standing]
    expect(colors.light[standing]).toBe(color)
    const file = new URL(`../../src/${previewPath(standing)}`, import.meta.url)
    const svg = readFileSync(new URL(file.href.replace(/png$/, 'svg')), 'utf8')
    for (const text of [`>${capitalized(STANDING_WORDS[standing])}<`, `>${icon}<`, `"${color}"`])
      expect(svg).toContain(text)
    const png = readFileSync(file)
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([1200, 630])
  },
)
