import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join, normalize } from 'node:path/posix'

const IMPORT = /(^(?:import|export) [^'"]*from ')(\.{1,2}\/[^']+)\.[jt]s'/gm

/**
 * A module and all its imports for browsers: without types, otherwise as in the repository.
 *
 * @param root the folder of the repository, with a slash at its end
 * @param entry the path of the module below it
 * @returns by path with the extension .js; relative paths are those of the sources
 */
export function browserModules(root: string, entry: string): Map<string, string> {
  const modules = new Map<string, string>()
  const add = (path: string) => {
    const name = path.replace(/\.ts$/, '.js')
    if (modules.has(name)) return
    const source = readFileSync(root + path, 'utf8')
    const script = path.endsWith('.ts') ? stripTypeScriptTypes(source) : source
    modules.set(name, script.replaceAll(IMPORT, "$1$2.js'"))
    for (const [, , imported = ''] of script.matchAll(IMPORT)) {
      const ending = script.includes(`${imported}.ts'`) ? 'ts' : 'js'
      add(normalize(join(path, '..', `${imported}.${ending}`)))
    }
  }
  add(entry)
  return modules
}
