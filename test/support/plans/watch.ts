import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Bundle } from '../workerd.ts'

const PATH = '/cdn-cgi/local/called'
const DECLARATION = /^(?:async )?function (\w+)\(db\b/

/**
 * Instruments a bundle to record which functions with a database parameter were called, as `file function`. This finds
 * statements that were never sent.
 *
 * @param bundle not minified
 * @returns all such functions
 */
export function watch({ out, file }: Bundle): Set<string> {
  const functions = new Set<string>()
  let [source, name] = ['', '']
  const lines = readFileSync(join(out, file), 'utf8')
    .split('\n')
    .map((line) => {
      if (line.startsWith('// ')) source = /^\/\/ src\/(.+store\.ts)$/.exec(line)?.[1] ?? ''
      if (source) name = DECLARATION.exec(line)?.[1] ?? name
      if (!name || !line.endsWith(') {')) return line
      const called = `${source} ${name}`
      functions.add(called)
      name = ''
      return `${line} globalThis.called.add('${called}');`
    })
  writeFileSync(join(out, file), lines.join('\n'))
  const entry = readFileSync(join(out, 'entry.js'), 'utf8')
  writeFileSync(
    join(out, 'entry.js'),
    `globalThis.called = new Set()\n${entry.replace(
      'const url = new URL(request.url)\n',
      `$&    if (url.pathname === '${PATH}') {
      const called = [...globalThis.called]
      globalThis.called.clear()
      return Response.json(called)
    }\n`,
    )}`,
  )
  return functions
}

/** The functions that were called since the last time. */
export async function called(url: string): Promise<string[]> {
  return (await (await fetch(url + PATH)).json()) as string[]
}
