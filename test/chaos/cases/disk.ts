import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmdirSync } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Fault, require } from '../fault.ts'

const SIZE_MB = 300
const PIECE = Buffer.alloc(1024 * 1024)
const mounted = new Set<string>()

export const diskFull: Fault = {
  name: 'disk full for Postgres, then free again',
  failedWrites: 'some',
  missing: () => {
    if (process.platform !== 'linux' || process.getuid?.() !== 0)
      return 'needs root on Linux, to mount a small disk'
    const dir = mkdtempSync(join(tmpdir(), 'disk-'))
    try {
      mount(dir)()
      return null
    } catch (error) {
      return `no disk can be mounted: ${error instanceof Error ? error.message : error}`
    } finally {
      rmdirSync(dir)
    }
  },
  mount,
  async strike({ plant, load }) {
    const filler = join(plant.dir, 'postgres', 'filler')
    await fill(filler)
    await load.failed(12)
    await rm(filler)
    if (plant.postgres.address() === null) await plant.postgres.start()
  },
}

/** Mounts a disk of 300 MB, which is unmounted at the latest when this process ends. */
function mount(dir: string): () => void {
  mkdirSync(dir, { recursive: true })
  run('mount', ['-t', 'tmpfs', '-o', `size=${SIZE_MB}m,mode=0711`, 'tmpfs', dir])
  mounted.add(dir)
  return () => {
    mounted.delete(dir)
    run('umount', [dir])
  }
}

process.on('exit', () => {
  for (const dir of mounted) spawnSync('umount', ['-l', dir])
})

function run(command: string, args: string[]): void {
  const { status, stderr, error } = spawnSync(command, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(error?.message ?? stderr.trim())
}

async function fill(file: string): Promise<void> {
  const handle = await open(file, 'w')
  try {
    for (let n = 0; n < SIZE_MB; n++) await handle.write(PIECE)
    require(false, 'the disk is larger than expected')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error
  } finally {
    await handle.close()
  }
}
