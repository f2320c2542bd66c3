import * as z from 'zod'
import { AGENT_CLASSES } from '../db/enums.ts'
import { SLUG_MAX } from '../lib/slug.ts'
import { CLASSES } from '../wire/agent-fields.ts'
import {
  AGENT_NAME_EXAMPLE,
  DESCRIPTION_MAX,
  DOMAIN_EXAMPLE,
  nameField,
  SHOWN_NAME,
  SPECIALIZATION_MAX,
  shownLine,
  shownText,
  textField,
  webAddress,
} from '../wire/fields.ts'

const SPECIALIZATIONS_MAX = 20

export const DESCRIPTION_EXAMPLE = 'Reads invoices and files them'

export const HOMEPAGE_EXAMPLE = `https://${DOMAIN_EXAMPLE}/invoice-reader`

export const CARD_EXAMPLE = `https://${DOMAIN_EXAMPLE}/.well-known/agent-card.json`

export const SPECIALIZATIONS_EXAMPLE = ['invoices', 'accounting']

export const name = nameField.meta({ description: SHOWN_NAME, example: AGENT_NAME_EXAMPLE })

const agentClass = z
  .enum(AGENT_CLASSES, { error: 'must be A, S, or H' })
  .register(z.globalRegistry, { description: CLASSES, example: 'A' })

export const description = shownText(DESCRIPTION_MAX, { mayBeEmpty: true }).meta({
  description: 'What the agent does',
  example: DESCRIPTION_EXAMPLE,
})

export const specializations = z
  .array(shownLine(SPECIALIZATION_MAX), { error: 'must be an array of strings' })
  .max(SPECIALIZATIONS_MAX, `at most ${SPECIALIZATIONS_MAX} entries`)
  .register(z.globalRegistry, {
    description: 'What the agent specializes in',
    example: SPECIALIZATIONS_EXAMPLE,
  })

const SHOWN =
  'Public while its host is the verified domain of the agent or a subdomain of it; otherwise only you can see it. The registry never fetches it'

const links = {
  homepage_url: webAddress.nullish().register(z.globalRegistry, {
    type: ['string', 'null'],
    description: `HTTPS URL of a page about the agent. ${SHOWN}`,
    example: HOMEPAGE_EXAMPLE,
  }),
  card_url: webAddress.nullish().register(z.globalRegistry, {
    type: ['string', 'null'],
    description: `HTTPS URL of the agent card, which other programs read. ${SHOWN}`,
    example: CARD_EXAMPLE,
  }),
}

const platformSlug = textField(SLUG_MAX).nullish()

const CLAIMED = 'On a platform of another operator, the agent is `claimed` until the platform confirms it'

export const agentInput = z
  .object({
    name,
    class: agentClass,
    description: description.nullish().transform((text) => text ?? ''),
    ...links,
    platform_slug: platformSlug.meta({
      description: `Slug of the platform that the agent works on. ${CLAIMED}`,
      example: 'acme-market',
    }),
    specializations: specializations.nullish().transform((tags) => tags ?? []),
  })
  .meta({ id: 'AgentInput', description: 'Agent to register' })

export const agentChanges = z
  .object({
    name: name.optional(),
    description: description
      .nullable()
      .transform((text) => text ?? '')
      .optional(),
    ...links,
    specializations: specializations
      .nullable()
      .transform((tags) => tags ?? [])
      .optional(),
    platform_slug: platformSlug.meta({
      description: `Slug of the platform to move to, or null to leave the current one. Leaving an established platform takes 7 days. ${CLAIMED}`,
      example: 'acme-market',
    }),
    status: z
      .literal('deactivated', { error: "can only be set to 'deactivated', which is permanent" })
      .optional()
      .register(z.globalRegistry, {
        description: 'Set to `deactivated` to deactivate the agent permanently',
      }),
  })
  .refine((changes) => Object.values(changes).some((value) => value !== undefined), {
    error:
      'must contain at least one of name, description, specializations, homepage_url, card_url, platform_slug, status',
  })
  .refine(({ platform_slug, status }) => !platform_slug || status === undefined, {
    path: ['platform_slug'],
    error: 'a deactivated agent cannot join a platform',
  })
  .meta({
    id: 'AgentChanges',
    description: 'At least one field. Null clears a field; `name` and `status` cannot be cleared',
    example: { description: DESCRIPTION_EXAMPLE, specializations: SPECIALIZATIONS_EXAMPLE },
  })

export type AgentChanges = z.infer<typeof agentChanges>

export type AgentInput = z.infer<typeof agentInput>
