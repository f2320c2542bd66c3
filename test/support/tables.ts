import { writeFileSync } from 'node:fs'
import { MOVES } from './moves.ts'
import { SENTENCES } from './sentences.ts'
import { type TaggedTest, taggedTests } from './tagged-tests.ts'

const INTERFACE_HEAD = `# The interface, sentence by sentence

Each sentence of sections 2, 3, 4, 5, 7, 8 and 9 of the interface that can be tested, and the tests that show it.
Sentences about webhooks on the wire (section 6) are in \`test/flow\`. Written by \`npm run test:tables\` from
\`test/support/sentences.ts\` and the titles of the tests, which end with the ids of what they show.`

const STATES_HEAD = `# States and their moves

Each move of a record between its states, allowed or rejected, and the tests that show it; \`=\` means that nothing
changes. Written by \`npm run test:tables\` from \`test/support/moves.ts\` and the titles of the tests, which end with
the ids of what they show.`

const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`

function table(head: readonly string[], rows: readonly string[][]): string {
  return [row(head), `|${'---|'.repeat(head.length)}`, ...rows.map(row)].join('\n')
}

/** The files of tables by their names below test/, as the tests' titles say. */
export function testTables(tests: readonly TaggedTest[]): Record<string, string> {
  const shownBy = (id: string) => {
    const found = tests.filter(({ ids }) => ids.includes(id))
    return found.map(({ file, title }) => `${file}: ${title}`).join('<br>')
  }
  const sentences = Object.entries(SENTENCES).map(([id, sentence]) => [id, sentence, shownBy(id)])
  const moves = Object.entries(MOVES).map(([id, { record, from, by, to }]) => [
    id,
    record,
    from,
    by,
    to,
    shownBy(id),
  ])
  return {
    'interface.md': `${INTERFACE_HEAD}\n\n${table(['id', 'sentence', 'tests'], sentences)}\n`,
    'states.md': `${STATES_HEAD}\n\n${table(['id', 'record', 'from', 'by', 'to', 'tests'], moves)}\n`,
  }
}

if (import.meta.main) {
  for (const [name, text] of Object.entries(testTables(taggedTests()))) {
    writeFileSync(new URL(`../${name}`, import.meta.url), text)
  }
}
