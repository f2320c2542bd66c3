import { API_VERSION } from '../../../src/kyc/stripe.ts'
import { checksOf, ok, wrong } from '../check.ts'

const TIMEOUT_MS = 15_000
const LIVE = /^(rk|sk)_live_/
const RESTRICTED = /^rk_/

/** Stripe Identity. */
export const stripeChecks = checksOf('Stripe', [
  {
    name: 'key',
    async run({ env, placement }) {
      const response = await fetch(
        new URL('/v1/identity/verification_sessions?limit=1', env.STRIPE_API_URL),
        {
          headers: { Authorization: `Bearer ${env.STRIPE_SECRET_KEY}`, 'Stripe-Version': API_VERSION },
          signal: AbortSignal.timeout(TIMEOUT_MS),
        },
      )
      const { error } = (await response.json().catch(() => ({}))) as {
        error?: { code?: string; type?: string }
      }
      if (!response.ok) {
        return wrong(
          `Stripe rejects the key (${response.status} ${error?.code ?? error?.type ?? ''})`.replace(
            ' )',
            ')',
          ),
          'create a restricted key with the permissions in docs/operate/deploy.md (step 5), and set STRIPE_SECRET_KEY',
        )
      }
      if (placement && !LIVE.test(env.STRIPE_SECRET_KEY)) {
        return wrong('it is a test key, which checks nobody', 'create a restricted key in live mode')
      }
      return RESTRICTED.test(env.STRIPE_SECRET_KEY)
        ? ok('the restricted key can list identity checks')
        : wrong(
            'it is a secret key, which cannot read a date of birth',
            'create a restricted key (docs/operate/deploy.md, step 5)',
          )
    },
  },
])
