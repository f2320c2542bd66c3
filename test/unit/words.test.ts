import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')

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

const blank = (text: string) => text.replace(/[^\n]/g, ' ')

/** A Markdown page without its code. */
const proseOf = (page: string) => page.replace(/^```.*?^```/gms, blank).replace(/`[^`\n]*`/g, blank)

/** The templates and strings with spaces of a program, without SQL, code, and comments. */
const textsOf = (program: string) =>
  program
    .replace(/^ *(?:\/?\*|\/\/).*$/gm, blank)
    .replace(/\$\{(?:[^{}`]|`[^`]*`)*\}/g, blank)
    .replace(/\bsql`[^`]*`/g, blank)
    .replace(/(`[^`]*`|'[^'\n]* [^'\n]*')|[^\n]/g, (_, text) => text ?? ' ')

it.each<[string, string[], (text: string) => string]>([
  ['the guides use', ['*.md', 'docs/**/*.md', 'packages/*/*.md'], proseOf],
  [
    'messages, pages, emails, the OpenAPI document, and the command line use',
    ['src/**/*.ts', 'scripts/{document,site}/*.ts', 'packages/**/*[!i].ts'],
    textsOf,
  ],
])('%s no word that was replaced', (_, patterns, read) => {
  const files = globSync(patterns, { cwd: ROOT })
  const hits = files.flatMap((file) =>
    read(readFileSync(join(ROOT, file), 'utf8'))
      .split('\n')
      .flatMap((line, n) =>
        WORDS.filter(([found]) => found.test(line)).map(
          ([, instead]) => `${file}:${n + 1}: write ${instead}`,
        ),
      ),
  )
  expect(files.length).toBeGreaterThan(20)
  expect(hits).toEqual([])
})
