import type { Mutant } from './mutant.ts'

/** Deliveries, emails, and what receivers verify. */
export const WEBHOOKS: readonly Mutant[] = [
  {
    what: 'a webhook has only four attempts',
    file: 'src/api/relay.ts',
    find: '[60, 300, 1_800, 7_200]',
    put: '[60, 300, 1_800]',
    test: 'unit/verdict.test.ts',
  },
  {
    what: 'a redirect counts as a successful delivery',
    file: 'src/webhooks/relay/verdict.ts',
    find: 'status < 300',
    put: 'status < 400',
    test: 'unit/verdict.test.ts',
  },
  {
    what: 'a crash of the Worker counts as a failure of the platform',
    file: 'src/webhooks/relay/verdict.ts',
    find: "isOurs ? null : 'failed'",
    put: "'failed'",
    test: 'unit/verdict.test.ts',
  },
  {
    what: 'the signature of a webhook does not cover the timestamp',
    file: 'src/webhooks/relay/sign.ts',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is source
    find: '`${timestamp}.${body}`',
    put: 'body',
    test: 'unit/verify-webhook.test.ts',
  },
  {
    what: 'receivers accept a webhook of any age',
    file: 'packages/webhooks/index.ts',
    find: '!(age <= toleranceSeconds)',
    put: 'Number.isNaN(age)',
    test: 'unit/verify-webhook.test.ts',
  },
  {
    what: 'a webhook can be sent over http',
    file: 'src/webhooks/relay/url.ts',
    find: "url.protocol !== 'https:' && !isLocal",
    put: 'false',
    test: 'http/hostile-urls.test.ts',
  },
  {
    what: 'a batch with incidents of many agents exceeds the daily quota of emails',
    file: 'src/mail/queue-store.ts',
    find: ' offset 0)',
    put: ')',
    test: 'http/mail.test.ts',
    only: 'one batch',
  },
]
