/** Words to avoid in public texts, and their replacements (docs/build/glossary.md, American spelling). */
const WORDS: readonly (readonly [found: RegExp, instead: string])[] = [
  [/\b(?:behaviour|colour|favour|honour|neighbour|labour)\w*/i, 'the spelling with -or, as in behavior'],
  [
    /\b\w*(?:ognis|rganis|ronis|malis|imis|maris|rialis|tialis|thoris)(?:es?|ed|ing|ation)\b/i,
    'the spelling with -ize',
  ],
  [
    /\b(?:cancell|labell|modell|signall|travell|channell)(?:ed|ing)\b/i,
    'the spelling with one l, as in canceled',
  ],
  [
    /\b(?:centre|licence|catalogue|programme|grey|judgement|artefact|whilst|amongst)\b/i,
    'the American spelling',
  ],
  [/\btowards\b/i, 'toward'],
  [/\bupwards|downwards\b/i, 'upward, downward'],
  [/\be-mail/i, 'email'],
  [/\bweb sites?\b/i, 'website'],
  [/\bwhite space\b/i, 'whitespace'],
  [/\buser names?\b/i, 'username'],
  [/\btime-outs?\b/i, 'timeout'],
  [
    /\b(?:an|the|this|that|no|each|every|any|its|their|first|same|late) answers?\b(?! (?:for|to)\b)/i,
    'response',
  ],
  [/\banswers? (?:with )?[1-5]\d\d\b/i, 'returns'],
  [/\bprov(?:e|es|ed|ing) (?:(?:a|the|your|another) )?domain|\bdomain (?:is )?proved/i, 'verify'],
  [/\blive (?:sessions?|keys?|API keys?)\b/i, 'active'],
  [/\bfor ever\b|\bfor good\b/i, 'permanently'],
  [/\b(?:none|one|not an? \w+) of ours\b/i, 'unknown, or of this service'],
  [/\b(?:is|are|was|were|be|been|being) told\b(?! apart)/i, 'is notified, receives, or states'],
  [/\bno one's\b/i, 'of nobody'],
  [/\bfortnights?\b/i, '14 days'],
  [/\b(?:any|every|some)body\b/i, 'anyone, everyone, someone'],
  [/\banew\b/i, 'again'],
  [/\bmend(?:ed|s|ing)?\b/i, 'fix'],
  [
    /\b(?:requests?|calls|times|events|mails|registrations|attempts|\d) an? (?:second|minute|hour|(?:UTC )?day|year)\b/i,
    'per minute, per day',
  ],
  [/\b(?:when|where) left out\b/i, 'if omitted'],
  [/\bback-dat/i, 'backdate, in one word'],
  [/\bgravest\b/i, 'most severe'],
  [/\bat present\b/i, 'currently, or at the moment'],
]

/** A word of the list, and the line on which it stands. */
export interface Hit {
  line: number
  word: string
  instead: string
}

/** Finds the words of the list in a text. */
export function wordsIn(text: string): Hit[] {
  return WORDS.flatMap(([found, instead]) =>
    [...text.matchAll(new RegExp(found, 'gi'))].map(({ 0: word, index }) => ({
      line: text.slice(0, index).split('\n').length,
      word,
      instead,
    })),
  )
}

const blank = (text: string) => text.replace(/[^\n]/g, ' ')

/** A Markdown page without its code, with unchanged line numbers. */
export function proseOf(markdown: string): string {
  return markdown.replace(/^```.*?^```/gms, blank).replace(/`[^`\n]*`/g, blank)
}

/** The `--` comments of an SQL file, with unchanged line numbers. */
export function sqlCommentsOf(sql: string): string {
  return sql.replace(/^((?:[^\n'-]|'[^'\n]*'?|-(?!-))*)/gm, blank)
}

const COMMENT = /\/\*[\s\S]*?\*\/|\/\/[^\n]*/
const REGEX = /(?<=[=(,:!&|?{};[\n]\s*)\/(?![*/])(?:[^\\/\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/
const QUOTED = /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/
const TOKEN = new RegExp(`(${COMMENT.source}|${REGEX.source})|(${QUOTED.source})|(sql)?\`|[{}]`, 'gy')

/** The texts in the strings and templates of a program without SQL, with unchanged line numbers. */
export function textsOf(program: string): string {
  let texts = ''
  const open: { sql: boolean; depth: number }[] = [] // the templates around a place, with the braces open in their code
  let at = 0
  const skip = (to: number) => {
    texts += blank(program.slice(at, to))
    at = to
  }
  while (at < program.length) {
    const inside = open.at(-1)
    if (inside?.depth === 0) {
      const { 0: piece = '' } = /(?:[^\\`$]|\\[\s\S]|\$(?!\{))*/y.exec(program.slice(at)) ?? []
      texts += inside.sql ? blank(piece) : piece
      at += piece.length
      if (program[at] === '`') open.pop()
      else inside.depth = 1
      skip(at + (program[at] === '`' ? 1 : 2))
      continue
    }
    TOKEN.lastIndex = at
    const token = TOKEN.exec(program)
    if (!token) {
      skip(at + 1)
      continue
    }
    const [whole, , quoted, tag] = token
    if (quoted?.includes(' ')) {
      texts += quoted
      at += quoted.length
      continue
    }
    if (whole.endsWith('`') && !quoted) open.push({ sql: tag !== undefined, depth: 0 })
    if (inside && whole === '{') inside.depth++
    if (inside && whole === '}') inside.depth--
    skip(at + whole.length)
  }
  return texts
}
