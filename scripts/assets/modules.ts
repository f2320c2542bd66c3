import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join, normalize } from 'node:path/posix'

const IMPORT = /(^(?:import|export) [^'"]*from ')(\.{1,2}\/[^']+)\.[jt]s'/gm

/**
 * A module and all that it imports, as browsers take them: the types left out, the rest as it stands in the repository.
 *
 * @param root the folder of the repository, with a slash at its end
 * @param entry the path of the module below it
 * @returns by path with the ending .js: the modules lie to each other as the sources do
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
