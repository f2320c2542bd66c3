import { Hono } from 'hono'
import type { App } from '../http/context.ts'
import { freshReport } from './report.ts'

/** `/health`: whether the Worker runs. `/ready`: whether the services that it depends on respond. */
export const healthRoutes = new Hono<App>()
  .get('/health', (c) => c.json({ status: 'ok' }))
  .get('/ready', async (c) => {
    const report = await freshReport(c)
    c.header('Cache-Control', 'no-store')
    return c.json(report, report.postgres === 'ok' ? 200 : 503)
  })
