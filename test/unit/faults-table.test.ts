import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { FAULTS } from '../chaos/faults.ts'

const README = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8')

it('the table of faults in the README has a line for each fault, whose books balance', () => {
  const table = /<!-- faults -->\n([\s\S]*?)<!-- \/faults -->/.exec(README)?.[1] ?? ''
  const [, , ...rows] = table.trim().split('\n')
  const lines = rows.map((row) => row.split('|').map((cell) => cell.trim()))
  expect(lines.map(([, name]) => name)).toEqual(FAULTS.map(({ name }) => name))
  for (const [, name, sent, , , found, doubled, lost, expected, arrived] of lines) {
    expect([name, found, doubled, lost, arrived]).toEqual([name, sent, '0', '0', expected])
  }
})
