import { execFile } from 'node:child_process'
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { beforeAll, describe, expect, it } from 'vitest'
import { shared } from '../support/harness.ts'
import { testFolder } from '../support/test-folder.ts'

const run = promisify(execFile)
const ROOT = join(import.meta.dirname, '../..')
const NODE_20 = 'node@20.20.2'
const KB = 1024
const EXAMPLE = /```ts\n([\s\S]*?)```/
/** The libraries, and what is run after the example of each. */
const AFTER = {
  client: `console.log('ok', typeof types)`,
  webhooks: `const rejected = await receive(new Request('https://receiver.example', { method: 'POST', body: '{}' }), 'whsec_x')
console.log('ok', await rejected.text())`,
  verify: `console.log(verdict === 'failed' ? verdict : 'ok verdict')`,
}
const LIBRARIES = Object.keys(AFTER) as (keyof typeof AFTER)[]
/** Maximum sizes of bundled imports in one file, minified and compressed, with all dependencies. */
const SCORE = 'scoreAgent, hashInputs'
const TOKEN = 'verifyToken, remoteKeys'
const REQUEST = `${TOKEN}, verifyRequest, registeredAgents`
const PROOF = 'verifyProof, parsePolicy, openLeaf'
const SIZES: [name: string, imported: string, maxBytes: number][] = [
  ['client', '*', 5 * KB],
  ['webhooks', '*', 3 * KB],
  ['verify', SCORE, 3 * KB],
  ['verify', TOKEN, 2.5 * KB],
  ['verify', REQUEST, 6.5 * KB], // 4 KB on top of verifyToken
  ['verify', 'signRequest, signedFetch', 3.2 * KB],
  ['verify', PROOF, 5.2 * KB],
  ['verify', [SCORE, TOKEN, PROOF].join(', '), 9 * KB],
  ['verify', 'verifyAgent', 17 * KB], // with the readers of leaves and tiles that the whole log is verified with
]

const h = shared()
const dir = testFolder()
let node20: string | null

/** The path of Node 20: from PATH, otherwise from npm; null if neither has it. */
async function findNode20(): Promise<string | null> {
  const here = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'node'))
  for (const node of here) {
    const { stdout } = await run(node, ['-p', 'process.version']).catch(() => ({ stdout: '' }))
    if (stdout.startsWith('v20.')) return node
  }
  const args = ['exec', '--yes', '--prefer-offline', `--package=${NODE_20}`, '--']
  const found = await run('npm', [...args, 'node', '-p', 'process.execPath'], { cwd: dir }).catch(() => null)
  return found?.stdout.trim() ?? null
}

beforeAll(async () => {
  const out = join(dir, 'built')
  const tsdown = join(ROOT, 'node_modules/tsdown/dist/run.mjs')
  await run(process.execPath, [tsdown], { cwd: ROOT, env: { ...process.env, PACKAGES_OUT: out } })
  const packed = LIBRARIES.map(async (name) => {
    for (const file of ['package.json', 'README.md'])
      await cp(join(ROOT, 'packages', name, file), join(out, name, file))
    const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', dir], {
      cwd: join(out, name),
    })
    return join(dir, stdout.trim())
  })
  const tarballs = await Promise.all(packed)
  const dependencies = ['openapi-fetch', 'openapi-typescript-helpers'].map((name) =>
    join(ROOT, 'node_modules', name),
  )
  await writeFile(join(dir, 'package.json'), '{"type":"module","private":true}')
  // All dependencies are local, so npm downloads nothing.
  const args = ['install', '--offline', '--install-links', '--no-audit', '--no-fund', '--ignore-scripts']
  await run('npm', [...args, ...tarballs, ...dependencies], { cwd: dir })
  for (const name of LIBRARIES) {
    const example = EXAMPLE.exec(await readFile(join(ROOT, 'packages', name, 'README.md'), 'utf8'))?.[1]
    await writeFile(join(dir, `${name}.ts`), `${example}${AFTER[name]}\n`)
  }
  node20 = await findNode20()
})

describe('the packed packages, installed in an empty folder', () => {
  it.each(['nodenext', 'bundler'])('type-check their examples with %s resolution', async (resolution) => {
    const options = {
      module: resolution === 'bundler' ? 'esnext' : 'nodenext',
      moduleResolution: resolution,
      target: 'es2022',
      lib: ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable'],
      types: [],
      strict: true,
      outDir: `./${resolution}`,
    }
    const declared = 'declare const process: { env: Record<string, string | undefined> }\n'
    await writeFile(join(dir, 'process.d.ts'), declared)
    const files = [...LIBRARIES.map((name) => `${name}.ts`), 'process.d.ts']
    const config = join(dir, `tsconfig.${resolution}.json`)
    await writeFile(config, JSON.stringify({ compilerOptions: options, files }))
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
    const { stdout } = await run(process.execPath, [tsc, '-p', config], { cwd: dir }).catch((error) => error)
    expect(stdout).toBe('')
  })

  it.each(['20', '24'])('run their examples in Node %s', async (version) => {
    if (version === '20' && node20 === null) {
      expect(process.env.REQUIRE_NODE_20, 'Node 20 is needed here').toBeUndefined()
      return console.log('skipped: there is no Node 20 here, and npm cannot fetch one')
    }
    const { reg } = await h.newReporter()
    const env = { ...process.env, REGISTRY: h.base_url, REG: reg }
    for (const name of LIBRARIES) {
      await mkdir(join(dir, 'run'), { recursive: true })
      const file = join(dir, 'run', `${name}.js`)
      await build({
        entryPoints: [join(dir, `${name}.ts`)],
        outfile: file,
        format: 'esm',
        absWorkingDir: dir,
      })
      const node = version === '20' ? (node20 ?? '') : process.execPath
      const { stdout } = await run(node, [file], { cwd: dir, env })
      expect(stdout).toMatch(/^ok /m)
    }
  })

  it('stay within the maximum sizes of their imports', async () => {
    for (const [name, imported, maxBytes] of SIZES) {
      const what = imported === '*' ? '*' : `{ ${imported} }`
      const size = await sizeOf(`export ${what} from '@agentreg/${name}'`)
      console.log(`@agentreg/${name}: ${imported}: ${(size / KB).toFixed(1)} KB compressed`)
      expect([name, imported, size <= maxBytes]).toEqual([name, imported, true])
    }
  })
})

/** The compressed size of a bundle in one file. */
async function sizeOf(contents: string): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: dir },
    absWorkingDir: dir,
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
  })
  return gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length
}
