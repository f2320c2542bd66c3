const INDENT = '  '
const ANSWER_MAX = 300

let steps = 0

/** Begins a step: a numbered title, and a line or two that say why. */
export function step(title: string, ...why: string[]): void {
  steps += 1
  console.log(`\n${steps}. ${title}`)
  for (const line of why) console.log(`   ${line}`)
  console.log()
}

/** Prints lines a little indented; a shell still takes them as they are. */
export function say(...lines: string[]): void {
  for (const line of lines) console.log(line ? INDENT + line : '')
}

/** Prints what came back, cut to a few lines of a terminal. */
export function answered(status: number, body: unknown): void {
  const text = JSON.stringify(body)
  say(`→ ${status} ${text.length > ANSWER_MAX ? `${text.slice(0, ANSWER_MAX)} …` : text}`)
}

/** A text as one word of a POSIX shell. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

/** Rows as columns: the first to the left, the others to the right but the last, which is prose. */
export function table(rows: readonly (readonly string[])[]): void {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? []
  for (const row of rows) {
    const cells = row.map((cell, column) => {
      const width = widths[column] ?? 0
      if (column === 0) return cell.padEnd(width)
      return column === row.length - 1 ? ` ${cell}` : cell.padStart(width)
    })
    say(cells.join('  ').trimEnd())
  }
}
