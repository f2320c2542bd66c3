import type { Env } from '../../../src/env.ts'
import { type Outcome, ok, wrong } from '../check.ts'

const TIMEOUT_MS = 15_000

/**
 * Sends a webhook of a type that the Worker ignores, to check that it accepts the signature.
 *
 * @param provider where the secret of the setting comes from
 */
export async function askHook(
  { BASE_URL }: Env,
  { path, body, headers }: { path: string; body: string; headers: Record<string, string> },
  { setting, provider }: { setting: string; provider: string },
): Promise<Outcome> {
  const response = await fetch(BASE_URL + path, {
    method: 'POST',
    body,
    headers: { 'Content-Type': 'application/json', ...headers },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  return response.ok
    ? ok(`the Worker accepts webhooks signed with ${setting}`)
    : wrong(
        `the Worker rejects webhooks signed with ${setting} (${response.status})`,
        `copy the signing secret of ${provider}, and set it for the Worker`,
      )
}
