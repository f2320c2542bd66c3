import type { Mutant } from './mutant.ts'

/** What holds for every request: limits, caching, pages, settings. */
export const REQUESTS: readonly Mutant[] = [
  {
    what: 'the test clock can be enabled in production',
    file: 'src/env.ts',
    find: "  'ALLOW_TEST_CLOCK',\n",
    put: '',
    test: 'unit/env.test.ts',
  },
  {
    what: 'a blocked address remains blocked',
    file: 'src/http/blocklist.ts',
    find: 'known && known.reset > now',
    put: 'known',
    test: 'unit/blocklist.test.ts',
  },
  {
    what: 'an isolate allows up to a quarter of a limit without Redis',
    file: 'src/http/counters.ts',
    find: 'Math.min(ofTheRest, Math.floor(limit / SHARE) - inFlight)',
    put: 'ofTheRest',
    test: 'unit/counters.test.ts',
  },
  {
    what: 'an IPv6 address is counted by its /48',
    file: 'src/http/address.ts',
    find: 'PREFIX_GROUPS = 4',
    put: 'PREFIX_GROUPS = 3',
    test: 'unit/address.test.ts',
  },
  {
    what: '/internal reads 64 MB',
    file: 'src/api/internal.ts',
    find: '256 * 1024',
    put: '64 * 1024 * 1024',
    test: 'http/internal.test.ts',
  },
  {
    what: 'public reads are cached for a minute',
    file: 'src/http/caching.ts',
    find: "'public, max-age=10'",
    put: "'public, max-age=60'",
    test: 'http/caching.test.ts',
  },
  {
    what: 'websites of other origins cannot read responses',
    file: 'src/http/cors.ts',
    find: "c.res.headers.set('Access-Control-Allow-Origin', ANY_ORIGIN)",
    put: '',
    test: 'http/caching.test.ts',
  },
  {
    what: 'strict routes allow eleven requests',
    file: 'src/http/limits.ts',
    find: "strict: { limit: 10, whenDown: 'reject' }",
    put: "strict: { limit: 11, whenDown: 'reject' }",
    test: 'http/limits.test.ts',
    only: 'ten keys per minute',
  },
  {
    what: 'a page has 51 items',
    file: 'src/wire/page.ts',
    find: 'PER_PAGE_MAX = 50',
    put: 'PER_PAGE_MAX = 51',
    test: 'http/contract.test.ts',
    only: 'GET /agents/search > returns page 1 with 20 items',
  },
  {
    what: 'an Idempotency-Key can be used again with another body',
    file: 'src/idempotency/request.ts',
    find: 'prior.body_sha256 !== repeatable?.body_sha256',
    put: 'false',
    test: 'http/idempotency.test.ts',
  },
]
