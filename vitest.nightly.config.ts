import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/unit/score-*.test.ts', 'test/nightly/**/*.test.ts'],
    globalSetup: 'test/support/made.ts',
    env: { NIGHTLY: 'true' },
    reporters: ['verbose'], // shows what the searches found
    testTimeout: 3_600_000,
  },
})
