import { makeTokenKey } from '../../src/transparency/token.ts'
import type { Command } from './command.ts'

/** Creates a key for verification tokens, an element of `TOKEN_KEYS`, without storing it. */
export const tokenKeyCommand: Command = {
  usage: '',
  run: async (_, args) => (args.length > 0 ? null : makeTokenKey()),
}
