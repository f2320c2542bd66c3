import { AGENT_CLASSES } from '../../db/enums.ts'
import { type Html, html } from '../../pages/html.ts'
import { CLASS_MEANING } from '../../wire/agent-fields.ts'
import { emptyToNull, NO_PROBLEMS, type Problems, problemNote, selectField, textField } from '../field.ts'
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
    name: fields.name ?? '',
    description: fields.description ?? '',
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

const classOptions = AGENT_CLASSES.map((letter) => [letter, `${letter} · ${CLASS_MEANING[letter]}`] as const)

/** The form fields of an agent; for a new agent also those that cannot be edited in this form later. */
export function agentFields(texts: AgentTexts, problems: Problems = NO_PROBLEMS, isNew = false): Html {
  const field = (name: string, label: string, hint: string) => ({
    name,
    label,
    hint,
    value: texts[name],
    problems,
  })
  return html`${problemNote(problems)}${textField(field('name', 'Name', 'As everyone sees it'), { required: true })}${
    isNew && selectField(field('class', 'Class', CLASS_HINT), classOptions)
  }${textField(field('description', 'Description', 'What it does, in a few sentences'), { lines: 4 })}${textField(
    field('specializations', 'Specializations', 'Up to 20 tags, separated by commas: invoices, accounting'),
  )}${textField(
    field('homepage_url', 'Homepage', 'An HTTPS URL. Public while its host is on your verified domain.'),
    {
      type: 'url',
    },
  )}${textField(
    field(
      'card_url',
      'Agent card',
      'The HTTPS URL of the agent card, which other programs read. Public while its host is on your verified domain.',
    ),
    { type: 'url' },
  )}${
    isNew &&
    textField(
      field(
        'platform_slug',
        'Platform',
        'The slug of the platform that it works on. Shown as a claim until the platform confirms it.',
      ),
    )
  }`
}
