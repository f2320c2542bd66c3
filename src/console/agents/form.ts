import { AGENT_CLASSES } from '../../db/enums.ts'
import { fieldsOf, type Problems, REQUIRED } from '../../pages/field.ts'
import { type Html, html } from '../../pages/html.ts'
import { CLASS_MEANING } from '../../wire/agent-fields.ts'
import { emptyToNull } from '../attempt.ts'
import type { Sent } from '../router.ts'

export const AGENT_FIELDS = [
  'name',
  'class',
  'description',
  'specializations',
  'homepage_url',
  'card_url',
  'platform_slug',
]

/** The values of an agent's form: submitted, or those of the agent. */
export type AgentTexts = Partial<Record<(typeof AGENT_FIELDS)[number], string | null>>

export function agentSent({ fields }: Sent) {
  return {
    name: fields.name,
    description: fields.description,
    specializations: (fields.specializations ?? '')
      .split(',')
      .map((tag) => tag.trim())
      .filter((tag) => tag !== ''),
    homepage_url: emptyToNull(fields.homepage_url),
    card_url: emptyToNull(fields.card_url),
  }
}

export function newAgentSent(sent: Sent) {
  const { fields } = sent
  return {
    ...agentSent(sent),
    class: fields.class,
    platform_slug: emptyToNull(fields.platform_slug),
  }
}

const CLASS_HINT =
  'A acts without a person, S asks a person for some of its steps, and with H, a person decides. Everyone sees it as your statement and can search by it; it changes neither score nor limits. It cannot be changed later.'

const CARD_HINT =
  'The HTTPS URL of the agent card, which other programs read. Public while its host is on your verified domain.'
const PLATFORM_HINT =
  'The slug of the platform that it works on. Shown as a claim until the platform confirms it.'

const CLASSES = AGENT_CLASSES.map((letter) => [letter, `${letter} · ${CLASS_MEANING[letter]}`] as const)

const LINK = { type: 'url' }

/** The form fields of an agent; for a new agent also those that cannot be edited in this form later. */
export function agentFields(texts: AgentTexts, problems?: Problems, isNew = false): Html {
  const { note, text, choice } = fieldsOf(texts, problems)
  return html`${note}${text('name', 'Name', 'As everyone sees it', REQUIRED)}${isNew && choice('class', 'Class', CLASSES, CLASS_HINT)}
${text('description', 'Description', 'What it does, in a few sentences', { lines: 4 })}
${text('specializations', 'Specializations', 'Up to 20 tags, separated by commas: invoices, accounting')}
${text('homepage_url', 'Homepage', 'An HTTPS URL. Public while its host is on your verified domain.', LINK)}
${text('card_url', 'Agent card', CARD_HINT, LINK)}${isNew && text('platform_slug', 'Platform', PLATFORM_HINT)}`
}
