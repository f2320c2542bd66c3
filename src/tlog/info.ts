import type { LogSettings } from './settings.ts'

/** How long it may take until an event stands below a signed head. */
export const MERGE_DELAY_SECONDS = 120

/** An origin that the log has had, with the last head that was signed by it; the newest last. */
export interface Origin {
  origin: string
  /** Its last note; null for the origin of now. */
  last_note: string | null
  /** The leaf that holds this note, and names the next origin. */
  index: number | null
}

/** A leaf that declares others void. */
export interface Restore {
  index: number
  /** The leaf, byte for byte. */
  leaf: string
}

/** What a verifier must know to begin: keys to pin, witnesses, and where to look. */
export function toInfo(
  { origin, signers, witnesses }: LogSettings,
  { size, origins, restores }: { size: number; origins: readonly Origin[]; restores: readonly Restore[] },
) {
  return {
    origin,
    vkeys: signers.map(({ verifier }) => verifier.vkey),
    witnesses: witnesses.map(({ name, key, url }) => ({ name, vkey: key.vkey, url })),
    merge_delay_seconds: MERGE_DELAY_SECONDS,
    size,
    mirrors: [] as string[],
    restores,
    previous_origins: origins.filter((one) => one.origin !== origin),
  }
}
