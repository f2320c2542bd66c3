import { ALL_SETTINGS, type Setting } from './settings.ts'

const WIDTH = 100
const LINK = /\[([^\]]+)\]\([^)]+\)/g

/** A settings file to fill in, with a comment for each setting; optional ones are commented out. */
export function settingsTemplate(): string {
  const requested = ALL_SETTINGS.filter(({ need }) => need !== 'do not set')
  const head = [
    '# The settings of a deployment; docs/operate/deploy.md explains them. Store this file where you store secrets, not in git.',
    '# npm run -s ops -- doctor --from FILE --env production tests them; npm run deploy deploys them with the Worker.',
  ]
  return [head.join('\n'), ...requested.map(toLines)].join('\n\n')
}

function toLines({ name, need, secret, source }: Setting): string {
  const said = `${secret ? 'Secret. ' : ''}${need === 'optional' ? 'Optional. ' : ''}${source.replaceAll(LINK, '$1')}`
  return [...wrap(said).map((line) => `# ${line}`), `${need === 'optional' ? '# ' : ''}${name}=`].join('\n')
}

function wrap(text: string): string[] {
  const lines = ['']
  for (const word of text.split(' ')) {
    const last = lines.at(-1) ?? ''
    if (last && last.length + word.length + 1 > WIDTH) lines.push(word)
    else lines[lines.length - 1] = last ? `${last} ${word}` : word
  }
  return lines
}
