import type { EventInput } from '../activity/schema.ts'
import { isStorable } from '../lib/text.ts'

const TITLE_MAX = 255
const DESCRIPTION_MAX = 5_000

/** The texts of the incident that an event opens: from its metadata where they are there, else defaults. */
export function incidentTexts({ metadata, severity }: Pick<EventInput, 'metadata' | 'severity'>) {
  return {
    title: textOf(metadata.title, TITLE_MAX) || `Incident of severity ${severity}`,
    description: textOf(metadata.description, DESCRIPTION_MAX),
  }
}

function textOf(value: unknown, max: number): string {
  return typeof value === 'string' && isStorable(value) ? [...value].slice(0, max).join('') : ''
}
