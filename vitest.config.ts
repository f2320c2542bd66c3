import { defineConfig } from 'vitest/config'

export default defineConfig({
  resolve: { tsconfigPaths: true }, // resolves packages to their source instead of their build
  test: {
    testTimeout: process.env.LONG_SEARCH ? 3_600_000 : 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } }, // asynchronous effects may take long on a busy machine
    maxWorkers: 5, // tests mostly wait for a stack; `test:unit` only computes, and has one worker per core
    isolate: false, // no test changes a module, and loading modules again for each file takes a third of the total time
    projects: [
      {
        extends: true,
        test: { name: 'unit', include: ['test/unit/**/*.test.ts'] },
      },
      {
        extends: true,
        test: { name: 'stand-ins', include: ['test/stand-ins/**/*.test.ts'], isolate: true },
      },
      {
        extends: true,
        test: {
          name: 'stack',
          include: ['test/http/**/*.test.ts', 'test/race/**/*.test.ts', 'test/chaos/**/*.test.ts'],
          globalSetup: ['test/support/made.ts', 'test/support/setup.ts'],
        },
      },
      // These stop or delay parts of a stack or move its clock, so each starts its own.
      {
        extends: true,
        test: {
          name: 'own-stack',
          include: ['test/flow/**/*.test.ts', 'test/fuzz/**/*.test.ts', 'test/browser/**/*.test.ts'],
          globalSetup: 'test/support/made.ts',
        },
      },
    ],
  },
})
