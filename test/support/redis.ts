import type { StackFile } from '../../scripts/support/stack-file.ts'

type Limiter = Pick<StackFile, 'redis_rest_url' | 'redis_rest_token'>

/** Sends a command to the Redis of a stack. */
export async function askRedis(
  { redis_rest_url, redis_rest_token }: Limiter,
  ...command: string[]
): Promise<unknown> {
  const response = await fetch(redis_rest_url, {
    method: 'POST',
    headers: { Authorization: `Bearer ${redis_rest_token}` },
    body: JSON.stringify(command),
  })
  if (!response.ok) throw new Error(`${command[0]}: ${response.status} ${await response.text()}`)
  return ((await response.json()) as { result: unknown }).result
}
