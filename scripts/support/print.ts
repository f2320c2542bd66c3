const INDENT = '  '

/** Prints indented lines, which can still be pasted into a shell. */
export function say(...lines: string[]): void {
  for (const line of lines) console.log(line ? INDENT + line : '')
}

/** Prints rows as columns: the first and last are left-aligned, the others right-aligned. */
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
