import { makeTokenKey } from '../../src/transparency/token.ts'
import type { Command } from './command.ts'

/** Prints a new key of verification tokens, which is stored nowhere: an element of `TOKEN_KEYS`. */
export const tokenKeyCommand: Command = {
  usage: '',
  isOffline: true,
  run: async (_, args) => (args.length > 0 ? null : makeTokenKey()),
}
