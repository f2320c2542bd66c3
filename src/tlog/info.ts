import type { LogSettings } from './settings.ts'

/** Maximum time until an event is covered by a signed head. */
const MERGE_DELAY_SECONDS = 120

/** An origin that the log has or had. */
interface Origin {
  origin: string
  /** Its last signed note; null for the current origin. */
  last_note: string | null
  /** Index of the leaf that contains this note and names the next origin; null for the current origin. */
  index: number | null
}

/** A leaf in which the service declares something about itself. */
interface Announced {
  index: number
  /** The leaf, byte for byte. */
  leaf: string
}

/** What the log has about itself. */
export interface Past {
  /** Number of leaves that the newest signed head covers. */
  size: number
  origins: readonly Origin[]
  /** Leaves that declare others void. */
  restores: readonly Announced[]
  /** Leaves of keys of the log and of tokens. */
  keys: readonly Announced[]
}

/** What a verifier must know to start: keys to pin, witnesses, keys in the log, restores, and previous origins. */
export function toInfo({ origin, signers, witnesses }: LogSettings, { size, origins, restores, keys }: Past) {
  return {
    origin,
    vkeys: signers.map(({ verifier }) => verifier.vkey),
    witnesses: witnesses.map(({ name, key, url }) => ({ name, vkey: key.vkey, url })),
    merge_delay_seconds: MERGE_DELAY_SECONDS,
    size,
    mirrors: [] as string[],
    keys,
    restores,
    previous_origins: origins.filter((one) => one.origin !== origin),
  }
}
