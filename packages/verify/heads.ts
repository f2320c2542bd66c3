import { encodeBase64, isCount, isObject } from '../../src/transparency/bytes.ts'
import { openSigned } from '../../src/transparency/checkpoint.ts'
import { parseProof } from '../../src/transparency/proof-text.ts'
import { type LogHead, TOKEN_TYPE } from '../../src/transparency/token.ts'
import type { Check, Context } from './checks.ts'
import { type Head, parseKeys, tokenKeys } from './head.ts'
import { keyMove } from './leaves.ts'
import { Inconclusive, pluralize, requireNone, requireVerified } from './problems.ts'
import { openJwt } from './token.ts'

const TOKEN = /^[\w-]+\.[\w-]+\.[\w-]+$/

/**
 * The check that signed heads from elsewhere belong to the log that the registry shows here: a registry that shows
 * different logs to different readers has signed both.
 *
 * @param texts tokens of the registry, also expired ones; proofs; or checkpoints
 *
 * Source: docs/use/transparency.md, "Verify an agent".
 */
export function headsCheck(texts: readonly string[]): Check {
  return {
    name: 'heads',
    async verify(context) {
      const head = requireVerified(context.head, 'the checkpoint')
      const { origin, size } = head.checkpoint
      const wrong: string[] = []
      const open: string[] = []
      for (const [at, text] of texts.entries()) {
        const name = `head ${at + 1}`
        const met = await openMet(context, head, text)
        if (typeof met === 'string') open.push(`${name} proves nothing (${met})`)
        else if (met.origin !== origin) open.push(`${name} is of the log ${met.origin}`)
        else if (met.size > size)
          open.push(`${name} has ${met.size} leaves, the log ${size}: try again later; it must not stay so`)
        else if (encodeBase64(await head.tree.rootAt(met.size)) !== met.root)
          wrong.push(
            `${name}: the registry has signed two logs that differ in their first ${met.size} leaves: keep both heads, which prove it`,
          )
      }
      requireNone(wrong)
      if (open.length > 0) throw new Inconclusive(open.join('\n'))
      return `${pluralize(texts.length, 'head')} from elsewhere, of this log`
    },
  }
}

/** The signed head in a text, or why it is none. */
async function openMet(context: Context, head: Head, text: string): Promise<LogHead | string> {
  if (TOKEN.test(text.trim())) {
    const signed = await openJwt(text.trim(), TOKEN_TYPE, (kid) => tokenKeys(context, kid))
    if (typeof signed === 'string') return signed
    const { log } = signed.payload
    return isObject(log) && isCount(log.size) ? (log as unknown as LogHead) : 'a token without a head'
  }
  const { origin } = head.checkpoint
  const moves = await Promise.all(head.keys.map((leaf) => keyMove(leaf, origin)))
  // Also keys that were removed: what they signed remains signed.
  const keys = await parseKeys([...head.info.vkeys, ...moves.flatMap((move) => move?.vkey ?? [])])
  const { checkpoint, reason } = await openSigned(parseProof(text)?.note ?? text, keys)
  return checkpoint ? { ...checkpoint, root: encodeBase64(checkpoint.root) } : reason
}
