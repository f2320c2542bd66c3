import { describe, expect, it } from 'vitest'
import { readPage } from '../support/docs-table.ts'
import { callsOf, linesOf, sources, WRITER } from '../support/log-lines.ts'

const written = new Set(
  sources.flatMap(({ text }) => linesOf(text).map(({ level, event }) => `${level} ${event}`)),
)

const section = /^## Log lines\n(.*?)^## /ms.exec(readPage('operate/runbook.md'))?.[1] ?? ''
const rows = [...section.matchAll(/^\| (\w+) \| <a id="line-(\w+)"><\/a>`\2` \| (.+?) \| (.+?) \|$/gm)].map(
  ([, level, event, means, action]) => ({ line: `${level} ${event}`, means, action }),
)

describe('the log lines in docs/operate/runbook.md', () => {
  it('are all that the Worker can write', () => {
    expect(written.size).toBeGreaterThan(5)
    expect(rows.map(({ line }) => line).sort()).toEqual([...written].sort())
  })

  it('can be found in the source: each has a literal name and is written by the log', () => {
    for (const { file, text } of sources) {
      expect(linesOf(text).length, file).toBe(callsOf(text) - (file === WRITER ? 1 : 0))
      if (file !== WRITER) expect(text, file).not.toMatch(/\bconsole\.\w/)
    }
  })
})
