import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Files that take 20 seconds or more on an idle machine, mostly waiting; one that starts last delays the end of the
 * whole run. Without recorded durations, Vitest orders files by size.
 */
const LONG = [
  'browser/pages.test.ts',
  'flow/delivery.test.ts',
  'flow/webhooks.test.ts',
  'flow/statements.test.ts',
  'flow/restore.test.ts',
  'flow/log.test.ts',
  'flow/expiry.test.ts',
  'flow/jobs.test.ts',
  'flow/snapshots.test.ts',
  'flow/failing-webhooks.test.ts',
  'flow/rotation.test.ts',
  'flow/kills.test.ts',
  'flow/rebuild.test.ts',
  'flow/log-tampering.test.ts',
  'flow/snapshots-pages.test.ts',
  'flow/crash.test.ts',
  'flow/budget.test.ts',
  'browser/story.test.ts',
  'flow/log-faults.test.ts',
  'fuzz/fuzz.test.ts',
  'chaos/parts.test.ts',
  'http/standings.test.ts',
  'http/cli.test.ts',
  'http/cli-report.test.ts',
  'http/withheld-texts.test.ts',
  'http/contract.test.ts',
  'stand-ins/stack-end.test.ts',
  'stand-ins/postgres.test.ts',
  'stand-ins/stack.test.ts',
  'stand-ins/deploy.test.ts',
  'stand-ins/openapi-lint.test.ts',
]

const isLong = ({ moduleId }: TestSpecification) => LONG.some((file) => moduleId.endsWith(`/test/${file}`))

/** Starts each project with its long files. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const byProject = Map.groupBy(sorted, ({ project }) => project)
    return [...byProject.values()].flatMap((own) => [
      ...own.filter(isLong),
      ...own.filter((file) => !isLong(file)),
    ])
  }
}
