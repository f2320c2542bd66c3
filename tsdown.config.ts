import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from 'tsdown'

/** Next to the libraries, the command line: it has a file to start instead of one to import. */
const ENTRIES: Record<string, string> = { cli: 'src/main.ts' }
const TSCONFIG = join(import.meta.dirname, 'tsconfig.packages.json')
/** Elsewhere than in the packages, for tests: then they are not judged. */
const OUT = process.env.PACKAGES_OUT
const PACKAGES = readdirSync('packages')

export default defineConfig(
  PACKAGES.map((name) => ({
    name,
    cwd: `packages/${name}`,
    entry: [ENTRIES[name] ?? 'index.ts'],
    format: 'esm' as const,
    platform: name === 'cli' ? ('node' as const) : ('neutral' as const),
    target: 'node20',
    dts: !(name in ENTRIES) && { tsconfig: TSCONFIG },
    tsconfig: TSCONFIG,
    fixedExtension: false,
    outDir: OUT ? join(OUT, name, 'dist') : 'dist',
    publint: !OUT && { strict: true },
    // It judges types, and a command line has none.
    attw: !OUT && !(name in ENTRIES) && { profile: 'esm-only' as const, level: 'error' as const },
    inputOptions: { checks: { pluginTimings: false } },
    logLevel: 'warn' as const,
  })),
)
