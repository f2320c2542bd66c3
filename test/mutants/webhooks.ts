import type { Mutant } from './mutant.ts'

/** Deliveries, and what receivers verify. */
export const WEBHOOKS: readonly Mutant[] = [
  {
    what: 'a webhook is tried four times',
    file: 'src/api/relay.ts',
    find: '[60, 300, 1_800, 7_200]',
    put: '[60, 300, 1_800]',
    test: 'unit/verdict.test.ts',
  },
  {
    what: 'a redirect is a success of a webhook',
    file: 'src/webhooks/relay/verdict.ts',
    find: 'status < 300',
    put: 'status < 400',
    test: 'unit/verdict.test.ts',
  },
  {
    what: 'our own crash counts against the platform',
    file: 'src/webhooks/relay/verdict.ts',
    find: "isOurs ? null : 'failed'",
    put: "'failed'",
    test: 'unit/verdict.test.ts',
  },
  {
    what: 'the signature of a webhook leaves out the time',
    file: 'src/webhooks/relay/sign.ts',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is source
    find: '`${timestamp}.${body}`',
    put: 'body',
    test: 'unit/verify-webhook.test.ts',
  },
  {
    what: 'receivers take a webhook of any age',
    file: 'packages/webhooks/index.ts',
    find: '!(age <= toleranceSeconds)',
    put: 'Number.isNaN(age)',
    test: 'unit/verify-webhook.test.ts',
  },
  {
    what: 'a webhook may go by http',
    file: 'src/webhooks/relay/url.ts',
    find: "url.protocol !== 'https:' && !isLocal",
    put: 'false',
    test: 'http/hostile-urls.test.ts',
  },
]
