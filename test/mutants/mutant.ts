export interface Mutant {
  /** What is broken. */
  what: string
  file: string
  /** Stands in the file exactly once. */
  find: string
  put: string
  /** The file below test/ that must fail. */
  test: string
  /** Of that file only the tests with such a name; its groups and its title are joined by ' > '. */
  only?: string
}
