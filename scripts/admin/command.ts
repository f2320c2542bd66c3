/** A command of `npm run -s admin`. */
export interface Command {
  /** Its arguments. */
  usage: string
  /**
   * @param databaseUrl returns the connection string of the database owner
   * @returns the output; null when the arguments are invalid
   * @throws Error when the command fails
   */
  run(databaseUrl: () => string, args: readonly string[]): Promise<string | null>
}

/** A command with one argument. */
export function ofOne(usage: string, run: (databaseUrl: string, name: string) => Promise<string>): Command {
  return { usage, run: async (url, [name, ...more]) => (name && more.length === 0 ? run(url(), name) : null) }
}
