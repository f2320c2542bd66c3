import { expect, it } from 'vitest'
import { FAULTS } from '../chaos/faults.ts'
import { readPage, tableIn } from '../support/docs-table.ts'

it('the table in docs/operate/performance.md has a row for each fault, with nothing lost or doubled', () => {
  const [, , ...rows] = tableIn(readPage('operate/performance.md'), 'faults').trim().split('\n')
  const lines = rows.map((row) => row.split('|').map((cell) => cell.trim()))
  expect(lines.map(([, name]) => name)).toEqual(FAULTS.map(({ name }) => name))
  for (const [, name, sent, , , found, doubled, lost, expected, arrived, logged] of lines) {
    expect([name, found, doubled, lost, arrived]).toEqual([name, sent, '0', '0', expected])
    const [leaves, events] = logged?.split(' = ') ?? []
    expect([name, leaves]).toEqual([name, events])
  }
})
