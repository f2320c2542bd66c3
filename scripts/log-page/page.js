import { CheckFailed, Inconclusive } from '../../packages/verify/problems.ts'
import { openService } from '../../packages/verify/service.ts'
import { checkMatches, REG_PATTERN } from '../../src/lib/agent-number.ts'
import { verifyAgent } from './agent.ts'
import { openHead } from './head.ts'

const SHOWN_PROBLEMS = 10
const SHOWN_EVENTS = 5
const KEEP = 'Keep the evidence: run the command below, once with --state and once with --save.'
const OLD_SECONDS = 900 // the alert threshold of the service

const $ = (id) => document.getElementById(id)
const number = new Intl.NumberFormat('en')
let turn = 0

/** Creates an element with attributes and children, which are texts and elements. */
function make(name, attributes, ...inside) {
  const element = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value)
  element.append(...inside)
  return element
}

function say(text, isHidden = false) {
  $('progress').replaceChildren(text)
  $('progress').classList.toggle('unseen', isHidden)
}

const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1) + (/[.?!]$/.test(text) ? '' : '.')

function finding({ holds, what }) {
  const word = holds === null ? 'Note' : holds ? 'OK' : 'Failed'
  const name = holds === null ? 'note' : holds ? 'holds' : 'fails'
  return make('li', { class: name }, make('strong', {}, `${word}: `), sentence(what))
}

/** An error as a finding: a failed check, or no result. */
function toFinding(error) {
  if (error instanceof CheckFailed) return { holds: false, what: error.message }
  if (error instanceof Inconclusive) return { holds: null, what: error.message }
  return { holds: null, what: `The check could not be completed (${error?.message ?? error}).` }
}

function ago(seconds) {
  if (seconds < 90) return `${Math.max(0, Math.round(seconds))} seconds ago`
  if (seconds < 5_400) return `${Math.round(seconds / 60)} minutes ago`
  return seconds < 172_800
    ? `${Math.round(seconds / 3_600)} hours ago`
    : `${Math.round(seconds / 86_400)} days ago`
}

/** A time, and how long ago it was. */
function moment(time) {
  const at = new Date(time * 1000).toISOString()
  return [
    make('time', { datetime: at }, ago(Date.now() / 1000 - time)),
    ` (${at.slice(0, 19).replace('T', ' ')} UTC)`,
  ]
}

function showHead({ checkpoint, vkeys, witnesses, voided }, isPinned) {
  const rows = [
    ['Log', [checkpoint.origin]],
    ['Leaves', [number.format(checkpoint.size)]],
    ['Root', [make('code', {}, btoa(String.fromCharCode(...checkpoint.root)))]],
    ...witnesses.map(({ name, time }) => [
      `Cosigned by ${name}`,
      time === null ? ['not this head'] : moment(time),
    ]),
    ...vkeys.map((vkey) => ['Key to pin', [make('code', {}, vkey)]]),
  ]
  const list = make('dl', {})
  for (const [name, value] of rows) list.append(make('dt', {}, name), make('dd', {}, ...value))
  const times = witnesses.flatMap(({ time }) => time ?? [])
  const isOld = times.length > 0 && Date.now() / 1000 - Math.max(...times) > OLD_SECONDS
  const findings = [
    {
      holds: true,
      what: `The head is signed by the key ${isPinned ? 'that you have pinned' : 'above'}, and the tiles of its right edge result in its root.`,
    },
    ...(isPinned
      ? []
      : [
          {
            holds: null,
            what: 'This key was taken from the registry itself: compare it with the key that others have.',
          },
        ]),
    ...(times.length === 0
      ? [
          {
            holds: null,
            what: 'No witness has cosigned this head, so only the registry states that everyone is shown the same one.',
          },
        ]
      : [
          {
            holds: true,
            what: `The cosignatures of ${times.length} of ${witnesses.length} witnesses are valid.`,
          },
        ]),
    ...(isOld
      ? [{ holds: null, what: 'No witness has cosigned this head recently: the log may have stopped.' }]
      : []),
    ...voided.map(({ from, to }) => ({
      holds: null,
      what: `After a restore, leaves ${from} to ${to - 1} are no longer valid.`,
    })),
  ]
  $('head').replaceChildren(list, make('ul', { class: 'findings' }, ...findings.map(finding)))
  for (const element of document.querySelectorAll('.vkey'))
    element.textContent = vkeys[0] ?? element.textContent
}

async function readHead(service) {
  const pinned = $('pinned').value.trim()
  const head = await openHead(service, pinned)
  if (head) showHead(head, pinned !== '')
  else $('head').replaceChildren(make('p', {}, 'This registry has no transparency log.'))
  return head
}

function showAgent(reg, { name, findings, notes, events }) {
  const failed = findings.filter(({ holds }) => !holds)
  const more = failed.length - SHOWN_PROBLEMS
  const shown = [
    ...findings.filter(({ holds }) => holds),
    ...failed.slice(0, SHOWN_PROBLEMS),
    ...(more > 0 ? [{ holds: false, what: `and ${more} more` }] : []),
    ...(failed.length > 0 ? [{ holds: null, what: KEEP }] : []),
    ...notes.map((what) => ({ holds: null, what })),
  ]
  const title = name === null ? reg : `${name}, ${reg}`
  const verdict =
    failed.length === 0
      ? 'everything is correct'
      : failed.length === 1
        ? '1 problem found'
        : `${failed.length} problems found`
  $('result').replaceChildren(
    make('h3', { class: failed.length === 0 ? 'holds' : 'fails' }, `${title}: ${verdict}`),
    make('ul', { class: 'findings' }, ...shown.map(finding)),
    ...(events.length > 0 ? [eventTable(events.slice(0, SHOWN_EVENTS))] : []),
  )
  say(`${title}: ${verdict}.`, true) // the heading shows it
}

function eventTable(events) {
  const head = ['Event', 'Type', 'Reported', 'Leaf'].map((name) => make('th', { scope: 'col' }, name))
  const rows = events.map(({ index, seq, facts }) =>
    make(
      'tr',
      {},
      make('td', {}, String(seq)),
      make('td', {}, facts.event_type),
      make('td', {}, facts.created_at.slice(0, 16).replace('T', ' ')),
      make(
        'td',
        {},
        make('a', { href: `/log/proof/${index}`, 'aria-label': `proof of leaf ${index}` }, String(index)),
      ),
    ),
  )
  return make(
    'div',
    { class: 'table', tabindex: '0', role: 'region', 'aria-label': 'The newest events' },
    make(
      'table',
      {},
      make('caption', {}, 'The newest events, opened from their leaves'),
      make('thead', {}, make('tr', {}, ...head)),
      make('tbody', {}, ...rows),
    ),
  )
}

/** Why a text is not a valid agent number; null if it is one. */
function numberProblem(reg) {
  if (!REG_PATTERN.test(reg)) return 'An agent number looks like REG-2026-0001-0042-U.'
  return checkMatches(reg)
    ? null
    : 'This is not a valid agent number: its last character is a check character, which does not match.'
}

const numberOf = (text) => text.trim().toUpperCase()

async function verify() {
  turn += 1
  const own = turn
  const isCurrent = () => own === turn
  const reg = numberOf($('reg').value)
  const problem = numberProblem(reg)
  $('result').replaceChildren()
  $('reg').setAttribute('aria-invalid', String(problem !== null))
  if (problem) {
    $('reg').focus()
    return say(problem)
  }
  history.replaceState(null, '', `#${reg}`)
  for (const element of document.querySelectorAll('.reg')) element.textContent = reg
  const tell = (text) => isCurrent() && say(text)
  const service = openService(location.origin, {
    onWait: (seconds) => tell(`The registry is busy; continuing in ${seconds} seconds …`),
  })
  $('result').setAttribute('aria-busy', 'true')
  tell('Reading the head …')
  try {
    const head = await readHead(service)
    const found =
      head &&
      (await verifyAgent(service, head, reg, (leaves) => tell(`${number.format(leaves)} leaves verified …`)))
    if (!isCurrent()) return
    if (found) showAgent(reg, found)
    else
      say(
        head
          ? `This registry has no agent ${reg}.`
          : 'This registry has no transparency log, so there is nothing to verify.',
      )
  } catch (error) {
    if (!isCurrent()) return
    const shown = toFinding(error)
    $('result').replaceChildren(make('ul', { class: 'findings' }, finding(shown)))
    say(shown.holds === false ? `${reg}: a check failed.` : `${reg}: the check could not be completed.`)
  } finally {
    if (isCurrent()) $('result').removeAttribute('aria-busy')
  }
}

/** Verifies the agent in the fragment of the URL, in upper or lower case; returns whether it is a valid number. */
async function verifyHash() {
  const named = location.hash.slice(1)
  if (!/^reg-/i.test(named)) return false
  $('reg').value = named
  await verify()
  return numberProblem(numberOf(named)) === null
}

async function start() {
  for (const element of document.querySelectorAll('.origin')) element.textContent = location.origin
  if (!globalThis.crypto?.subtle)
    return $('head').replaceChildren(
      make('p', {}, 'Browsers verify signatures only over HTTPS: open this page with https.'),
    )
  $('form').addEventListener('submit', (event) => {
    event.preventDefault()
    void verify()
  })
  for (const field of $('form').elements) field.disabled = false
  addEventListener('hashchange', () => void verifyHash())
  if (await verifyHash()) return
  try {
    await readHead(openService(location.origin))
  } catch (error) {
    $('head').replaceChildren(make('ul', { class: 'findings' }, finding(toFinding(error))))
  }
}

await start()
