import type { Standing } from '../db/enums.ts'

/** The path of the picture of a standing in link previews: a screenshot, 1200 × 630 px, of the SVG beside it. */
export const previewPath = (standing: Standing) => `ui/previews/${standing}.png`
