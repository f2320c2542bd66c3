import { app } from './app.ts'
import { parseEnv } from './env.ts'
import { runJobs } from './jobs/index.ts'

export default {
  fetch: app.fetch,
  async scheduled(event: { scheduledTime: number }, bindings: Record<string, unknown>): Promise<void> {
    await runJobs(parseEnv(bindings), new Date(event.scheduledTime))
  },
}
