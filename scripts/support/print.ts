const INDENT = '  '

/** Prints lines a little indented; a shell still takes them as they are. */
export function say(...lines: string[]): void {
  for (const line of lines) console.log(line ? INDENT + line : '')
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
