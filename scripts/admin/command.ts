/** A command of `npm run -s admin`. */
export interface Command {
  /** Its words after the name. */
  usage: string
  /** Needs no database; is given no address of one. */
  isOffline?: true
  /**
   * @param databaseUrl the owner of the database
   * @returns lines that say what is now; null when the words are off
   * @throws Error when it cannot be done
   */
  run(databaseUrl: string, args: readonly string[]): Promise<string | null>
}
