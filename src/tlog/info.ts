import type { LogSettings } from './settings.ts'

/** Maximum time until an event is covered by a signed head. */
export const MERGE_DELAY_SECONDS = 120

/** An origin that the log has or had. */
export interface Origin {
  origin: string
  /** Its last signed note; null for the current origin. */
  last_note: string | null
  /** Index of the leaf that contains this note and names the next origin; null for the current origin. */
  index: number | null
}

/** A leaf that declares other leaves void. */
export interface Restore {
  index: number
  /** The leaf, byte for byte. */
  leaf: string
}

/** What a verifier must know to start: keys to pin, witnesses, restores, and previous origins. */
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
