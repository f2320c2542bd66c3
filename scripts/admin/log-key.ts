import { makeSignerKey } from '../../src/transparency/keys.ts'
import type { Command } from './command.ts'

/** Creates a key that signs the heads of the transparency log. */
export const logKeyCommand: Command = {
  usage: '<origin>, for example registry.example/log',
  async run(_, [origin, ...more]) {
    if (!origin || more.length > 0) return null
    const { skey, vkey } = await makeSignerKey(origin)
    return [`LOG_KEY (secret): ${skey}`, `public key, to publish and pin: ${vkey}`].join('\n')
  },
}
