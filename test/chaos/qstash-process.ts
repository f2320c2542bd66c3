import { startQStash } from '../../local/stand-ins/qstash/index.ts'

// The QStash stand-in in a separate process, so that it can be killed.
const [dir = '', port = ''] = process.argv.slice(2)
await startQStash({ dir, port: Number(port), timeScale: 1, say: () => undefined })
