import { once } from 'node:events'

const INTERVAL_MICROSECONDS = 100
const SHOWN = 25

interface CpuProfile {
  nodes: { id: number; callFrame: { functionName: string; url: string; lineNumber: number } }[]
  samples: number[]
  timeDeltas: number[]
}

/**
 * Records in which functions a Worker spends CPU time during some work.
 *
 * @param inspectorPort of the runtime
 * @returns the profile, as Chrome's developer tools open it
 */
export async function profileWhile(inspectorPort: number, work: () => Promise<unknown>): Promise<CpuProfile> {
  const targets = (await (await fetch(`http://127.0.0.1:${inspectorPort}/json`)).json()) as {
    webSocketDebuggerUrl: string
  }[]
  const socket = new WebSocket(targets[0]?.webSocketDebuggerUrl ?? '')
  await once(socket, 'open')
  let calls = 0
  const call = async (method: string, params = {}) => {
    const id = ++calls
    const { promise, resolve } = Promise.withResolvers<{ profile: CpuProfile }>()
    const listen = ({ data }: MessageEvent) => {
      const response = JSON.parse(String(data))
      if (response.id !== id) return
      socket.removeEventListener('message', listen)
      resolve(response.result)
    }
    socket.addEventListener('message', listen)
    socket.send(JSON.stringify({ id, method, params }))
    return promise
  }
  await call('Profiler.enable')
  await call('Profiler.setSamplingInterval', { interval: INTERVAL_MICROSECONDS })
  await call('Profiler.start')
  await work()
  const { profile } = await call('Profiler.stop')
  socket.close()
  return profile
}

/** The functions with the most samples, with their share of the busy time. */
export function busiest({ nodes, samples, timeDeltas }: CpuProfile): { where: string; percent: number }[] {
  const spent = new Map<number, number>()
  for (const [n, sample] of samples.entries()) {
    spent.set(sample, (spent.get(sample) ?? 0) + (timeDeltas[n] ?? 0))
  }
  const places = new Map<string, number>()
  for (const { id, callFrame } of nodes) {
    if (callFrame.functionName === '(idle)') continue
    const where = `${callFrame.functionName || '(anonymous)'} ${callFrame.url.split('/').at(-1)}:${callFrame.lineNumber + 1}`
    places.set(where, (places.get(where) ?? 0) + (spent.get(id) ?? 0))
  }
  const busy = [...places.values()].reduce((sum, micros) => sum + micros, 0)
  return [...places]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, SHOWN)
    .map(([where, micros]) => ({ where, percent: (100 * micros) / busy }))
}
