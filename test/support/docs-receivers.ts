import { execFile, spawnSync } from 'node:child_process'
import { launch } from '../../local/process.ts'
import { folderWith, programsOf } from './programs.ts'

const PAGE = 'use/receivers.md'
const PACKAGE = new URL('../../packages/webhooks/index.ts', import.meta.url).href
const STOP_MS = 5_000

/** A webhook to verify; `now` in Unix seconds. */
export interface Judged {
  secret: string
  headers: Record<string, string>
  body: string
  now: number
}

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
  /** A program that reads a JSON list of cases, calls the function for each, and prints a JSON list of booleans. */
  judge?: { file: string; text: string; run: readonly string[] }
}

const PYTHON = `import json, sys
from email.message import Message
from webhook import is_genuine

def judged(case):
    headers = Message()
    for name, value in case["headers"].items():
        headers[name] = value
    return is_genuine(case["secret"], headers, case["body"].encode(), case["now"])

print(json.dumps([judged(case) for case in json.load(sys.stdin)]))
`

const GO = `package main

import (
	"encoding/json"
	"net/http"
	"os"
	"time"
)

func main() {
	var cases []struct {
		Secret, Body string
		Headers      map[string]string
		Now          int64
	}
	if err := json.NewDecoder(os.Stdin).Decode(&cases); err != nil {
		panic(err)
	}
	judged := []bool{}
	for _, one := range cases {
		header := http.Header{}
		for name, value := range one.Headers {
			header.Set(name, value)
		}
		judged = append(judged, isGenuine(one.Secret, header, []byte(one.Body), time.Unix(one.Now, 0)))
	}
	json.NewEncoder(os.Stdout).Encode(judged)
}
`

const PHP = `<?php
require 'webhook.php';
$judged = [];
foreach (json_decode(file_get_contents('php://stdin'), true) as $case) {
    $server = [];
    foreach ($case['headers'] as $name => $value) $server['HTTP_' . strtoupper(strtr($name, '-', '_'))] = $value;
    $judged[] = is_genuine($case['secret'], $server, $case['body'], $case['now']);
}
echo json_encode($judged);
`

export const LANGUAGES: readonly Language[] = [
  {
    name: 'JavaScript',
    programs: programsOf('use/webhooks.md', 'The receiver', 'js').map((program) =>
      program.replace('@agentreg/webhooks', PACKAGE),
    ),
    files: ['receiver.mjs'],
    version: [process.execPath, '--version'],
    serve: () => [process.execPath, 'receiver.mjs'],
  },
  {
    name: 'Python',
    programs: programsOf(PAGE, 'Python', 'python'),
    files: ['webhook.py', 'receiver.py'],
    version: ['python3', '--version'],
    serve: () => ['python3', 'receiver.py'],
    judge: { file: 'judge.py', text: PYTHON, run: ['python3', 'judge.py'] },
  },
  {
    name: 'Go',
    programs: programsOf(PAGE, 'Go', 'go'),
    files: ['webhook.go', 'receiver.go'],
    version: ['go', 'version'],
    serve: () => ['go', 'run', 'receiver.go', 'webhook.go'],
    judge: { file: 'judge.go', text: GO, run: ['go', 'run', 'judge.go', 'webhook.go'] },
  },
  {
    name: 'PHP',
    programs: programsOf(PAGE, 'PHP', 'php'),
    files: ['webhook.php', 'receiver.php'],
    version: ['php', '--version'],
    serve: (port) => ['php', '-S', `127.0.0.1:${port}`, 'receiver.php'],
    judge: { file: 'judge.php', text: PHP, run: ['php', 'judge.php'] },
  },
]

/** Whether a language is installed. */
export function isInstalled({ version: [command = '', ...args] }: Language): boolean {
  return spawnSync(command, args).status === 0
}

/** Runs a function of the page on each case. */
export async function judgedBy(language: Language, cases: readonly Judged[]): Promise<boolean[]> {
  const { file = '', text = '', run = [] } = language.judge ?? {}
  await using folder = await folderWith({ ...filesOf(language), [file]: text })
  const [command = '', ...args] = run
  return await new Promise((resolve, reject) => {
    const child = execFile(
      command,
      args,
      { cwd: folder.dir, env: environment(folder.dir) },
      (error, stdout) => (error ? reject(error) : resolve(JSON.parse(stdout))),
    )
    child.stdin?.end(JSON.stringify(cases))
  })
}

const filesOf = ({ files, programs }: Language) =>
  Object.fromEntries(files.map((file, n) => [file, programs[n] ?? '']))

/** Starts the receiver of the page; `printed` returns its output so far. */
export async function startReceiverOf(language: Language, port: number, secret: string) {
  const folder = await folderWith(filesOf(language))
  const [command = '', ...args] = language.serve(port)
  const launched = launch(command, args, {
    cwd: folder.dir,
    env: { ...environment(folder.dir), PORT: String(port), WEBHOOK_SECRET: secret },
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
    async stop() {
      await launched.end('SIGTERM', STOP_MS)
      await folder[Symbol.asyncDispose]()
    },
  }
}

function environment(dir: string): NodeJS.ProcessEnv {
  return { ...process.env, GO111MODULE: 'off', PYTHONDONTWRITEBYTECODE: '1', TMPDIR: dir }
}
