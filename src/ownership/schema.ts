import * as z from 'zod'
import { OWNERSHIP_METHODS } from '../db/enums.ts'
import { DOMAIN_MAX } from '../lib/host.ts'
import { DOMAIN_EXAMPLE, textField } from '../wire/fields.ts'

export const methods = z
  .enum(OWNERSHIP_METHODS, { error: 'must be dns or http' })
  .register(z.globalRegistry, {
    description: '`dns`: a TXT record; `http`: a file on the website',
    example: 'dns',
  })

export const domain = z.string().register(z.globalRegistry, {
  description: 'Domain to verify, in lowercase and punycode',
  example: DOMAIN_EXAMPLE,
})

export const challengeInput = z
  .object({
    domain: textField(DOMAIN_MAX).meta({
      description: 'A public domain name, without scheme, port, or path',
      example: DOMAIN_EXAMPLE,
    }),
    method: methods,
  })
  .meta({ id: 'ChallengeInput', description: 'Domain to verify, and the method' })
