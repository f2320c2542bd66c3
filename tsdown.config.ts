import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from 'tsdown'

/** Packages with an entry point other than index.ts. */
const ENTRIES: Record<string, string> = { cli: 'src/main.ts' }
const TSCONFIG = join(import.meta.dirname, 'tsconfig.packages.json')
/** Another output folder, for tests; the checks of the packages are then skipped. */
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
    // It checks types, which a command line does not export.
    attw: !OUT && !(name in ENTRIES) && { profile: 'esm-only' as const, level: 'error' as const },
    inputOptions: { checks: { pluginTimings: false } },
    logLevel: 'warn' as const,
  })),
)
