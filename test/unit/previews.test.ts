import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { STANDINGS } from '../../src/db/enums.ts'
import { capitalized } from '../../src/pages/html.ts'
import { previewPath } from '../../src/pages/preview.ts'
import { LOOKS } from '../../src/pages/standing.ts'
import { STANDING_WORDS } from '../../src/trust/standing.ts'

it.each(STANDINGS)(
  'the picture of %s has its word, icon, and color, and the size that its page states',
  (standing) => {
    const file = new URL(`../../src/${previewPath(standing)}`, import.meta.url)
    const svg = readFileSync(new URL(file.href.replace(/png$/, 'svg')), 'utf8')
    const { icon, color } = LOOKS[standing]
    for (const text of [`>${capitalized(STANDING_WORDS[standing])}<`, `>${icon}<`, `"${color}"`])
      expect(svg).toContain(text)
    const png = readFileSync(file)
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([1200, 630])
  },
)
