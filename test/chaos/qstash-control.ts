/** A client of the control endpoints of the QStash stand-in (local/stand-ins/qstash/control.ts). */
export function qstashControl(url: string) {
  // biome-ignore lint/suspicious/noExplicitAny: the types of the results are below
  const ask = async (method: string, path: string, body?: object): Promise<any> => {
    const response = await fetch(`${url}/-/${path}`, {
      method,
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(60_000),
    })
    if (!response.ok) throw new Error(`${method} /-/${path}: ${response.status} ${await response.text()}`)
    return response.json()
  }
  const clock = async () => new Date((await ask('GET', 'clock')).now)
  return {
    clock,
    /** Sets a virtual clock: from then on messages are delivered only in `advance` and `runUntilIdle`. */
    takeClock: (now: Date) => ask('POST', 'clock', { mode: 'virtual', now: now.toISOString(), stands: true }),
    advance: (ms: number) => ask('POST', 'clock/advance', { ms }),
    runUntilIdle: (): Promise<{ delivered: number }> => ask('POST', 'run-until-idle', {}),
    messages: (): Promise<{ inFlight: boolean }[]> => ask('GET', 'messages'),
  }
}

export type QStashControl = ReturnType<typeof qstashControl>
