import * as z from 'zod'
import { PLATFORM_STATES } from '../db/enums.ts'
import { regParam, slugParam, wordParam } from '../wire/fields.ts'
import { pageQuery } from '../wire/page.ts'

export const memberParams = slugParam.extend(regParam.shape)

export const memberQuery = z.object({
  state: wordParam('state', PLATFORM_STATES, `must be ${PLATFORM_STATES.join(' or ')}`, {
    description: 'Only agents with this `platform_state`',
    example: 'claimed',
  }),
  ...pageQuery,
})

export type MemberQuery = z.infer<typeof memberQuery>
