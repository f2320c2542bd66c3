import { spawnSync } from 'node:child_process'
import { launch } from '../../local/process.ts'
import { folderWith, programsOf } from './programs.ts'

const PAGE = 'use/receivers.md'
const PACKAGE = new URL('../../packages/webhooks/index.ts', import.meta.url).href
const STOP_MS = 5_000
const QUIET = { GO111MODULE: 'off', PYTHONDONTWRITEBYTECODE: '1' }

/** A language of docs/use: its programs, and how to run them. */
interface Language {
  name: string
  /** The code blocks: a function that verifies, unless a package has it, and the receiver. */
  programs: readonly string[]
  /** The names of their files. */
  files: readonly string[]
  /** A command that fails if the language is not installed. */
  version: readonly string[]
  /** The command that starts the receiver. */
  serve(port: number): readonly string[]
  /** Whether it checks `webhook-signature`; the package checks `X-REG-Signature`. */
  isStandard: boolean
}

export const LANGUAGES: readonly Language[] = [
  {
    name: 'JavaScript',
    programs: programsOf('use/webhooks.md', 'The receiver', 'js').map((program) =>
      program.replace('@agentreg/webhooks', PACKAGE),
    ),
    files: ['receiver.mjs'],
    version: [process.execPath, '--version'],
    serve: () => [process.execPath, 'receiver.mjs'],
    isStandard: false,
  },
  {
    name: 'Python',
    programs: programsOf(PAGE, 'Python', 'python'),
    files: ['webhook.py', 'receiver.py'],
    version: ['python3', '--version'],
    serve: () => ['python3', 'receiver.py'],
    isStandard: true,
  },
  {
    name: 'Go',
    programs: programsOf(PAGE, 'Go', 'go'),
    files: ['webhook.go', 'receiver.go'],
    version: ['go', 'version'],
    serve: () => ['go', 'run', 'receiver.go', 'webhook.go'],
    isStandard: true,
  },
  {
    name: 'PHP',
    programs: programsOf(PAGE, 'PHP', 'php'),
    files: ['webhook.php', 'receiver.php'],
    version: ['php', '--version'],
    serve: (port) => ['php', '-S', `127.0.0.1:${port}`, 'receiver.php'],
    isStandard: true,
  },
]

/** Whether a language is installed. */
export function isInstalled({ version: [command = '', ...args] }: Language): boolean {
  return spawnSync(command, args).status === 0
}

const filesOf = ({ files, programs }: Language) =>
  Object.fromEntries(files.map((file, n) => [file, programs[n] ?? '']))

/** Starts the receiver of the page; `printed` returns its output so far. */
export async function startReceiverOf(language: Language, port: number, secret: string) {
  const folder = await folderWith(filesOf(language))
  const [command = '', ...args] = language.serve(port)
  const launched = launch(command, args, {
    cwd: folder.dir,
    env: { ...process.env, ...QUIET, TMPDIR: folder.dir, PORT: String(port), WEBHOOK_SECRET: secret },
    stdio: ['ignore', 'pipe', 'pipe'],
    lastSignal: 'KILL',
  })
  let printed = ''
  for (const stream of [launched.child.stdout, launched.child.stderr])
    stream?.setEncoding('utf8').on('data', (text) => {
      printed += text
    })
  return {
    printed: () => printed,
    async [Symbol.asyncDispose]() {
      await launched.end('SIGTERM', STOP_MS)
      await folder[Symbol.asyncDispose]()
    },
  }
}
