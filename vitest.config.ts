import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/support/longest-first.ts'

export default defineConfig({
  resolve: { tsconfigPaths: true }, // the packages by their names, as they lie here and not as they are built
  test: {
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } }, // what comes by itself may take its time on a busy machine
    maxWorkers: 4, // the tests wait for a stack most of the time; `test:unit`, which only computes, has one a core
    sequence: { sequencer: LongestFirst },
    isolate: false, // no test changes a module; to load them anew for each file takes a third of the whole time
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
      // These stop, delay or wind parts of a stack, so each of them starts its own.
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
