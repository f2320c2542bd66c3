import { eventsCheck, historyCheck, openCheckpoint, parsePolicy, verifyAgent, verifyLog } from './verify.js'

const NUMBER = /^REG-\d{4}-\d{4}-\d{4}-[0-9A-Z]$/
const KEEP = 'Keep the evidence: run the command below, once with --state and once with --save.'
const OLD_SECONDS = 900 // the alert threshold of the service
const NAMES = {
  score: 'Score',
  token: 'Signed statement',
  checkpoint: 'Head of the log',
  entries: 'Entries of the log',
  profile: 'Profile',
  incidents: 'Incidents',
  days: 'Days',
  events: 'Events',
  history: 'Score history',
}
const VERDICTS = {
  verified: 'everything is correct',
  failed: 'a check failed',
  incomplete: 'not everything could be checked',
}

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

function finding({ holds, name, what }) {
  const word = holds === null ? 'Note' : holds ? 'OK' : 'Failed'
  const look = holds === null ? 'note' : holds ? 'holds' : 'fails'
  return make(
    'li',
    { class: look },
    make('strong', {}, `${name ?? word}: `),
    name ? `${what}.` : sentence(what),
  )
}

const findings = (list) => make('ul', { class: 'findings' }, ...list.map(finding))

/** The findings of a check: one for each line of its detail. */
const toFindings = ({ name, ok, detail }) =>
  detail.split('\n').map((line) => ({ holds: ok, what: `${NAMES[name] ?? name}: ${line}` }))

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

/** Verifies a head with the pinned key or those of the registry, and with the witnesses that it names. */
async function openWith(pinned, note, { vkeys, witnesses }) {
  const policy = await parsePolicy(
    [
      ...(pinned === '' ? vkeys : [pinned]).map((vkey) => `log ${vkey}`),
      ...witnesses.map(({ vkey }, at) => `witness w${at} ${vkey}`),
      'quorum none',
    ].join('\n'),
  )
  try {
    return await openCheckpoint(note, policy)
  } catch (error) {
    if (error?.name !== 'NotSupportedError') throw error
    throw new Error(
      'this browser cannot verify Ed25519 signatures: use Chrome 137, Firefox 129, Safari 17.4, or newer',
    )
  }
}

function showHead({ checkpoint, vkeys, witnesses }, isPinned, notes) {
  const times = witnesses.map((_, at) => checkpoint.witnesses.find(({ name }) => name === `w${at}`)?.time)
  const seen = times.filter((time) => time !== undefined)
  const rows = [
    ['Log', [checkpoint.origin]],
    ['Leaves', [number.format(checkpoint.size)]],
    ['Root', [make('code', {}, btoa(String.fromCharCode(...checkpoint.root)))]],
    ...witnesses.map(({ name }, at) => [
      `Cosigned by ${name}`,
      times[at] === undefined ? ['not this head'] : moment(times[at]),
    ]),
    ...vkeys.map((vkey) => ['Key to pin', [make('code', {}, vkey)]]),
  ]
  const list = make('dl', {})
  for (const [name, value] of rows) list.append(make('dt', {}, name), make('dd', {}, ...value))
  const last = Math.max(...seen)
  const said = [
    {
      holds: true,
      name: 'Signed',
      what: isPinned
        ? 'by the key that you have pinned'
        : 'by the key below, which was taken from the registry itself: compare it with the key that others have',
    },
    {
      holds: true,
      name: 'Complete',
      what: `the tiles of its right edge result in the signed root of ${number.format(checkpoint.size)} leaves`,
    },
    seen.length > 0
      ? {
          holds: true,
          name: 'Witnessed',
          what: `by ${seen.length} of ${witnesses.length} witnesses, ${ago(Date.now() / 1000 - last)}`,
        }
      : {
          holds: null,
          name: 'Not witnessed',
          what: 'only the registry states that everyone is shown the same head',
        },
  ]
  const note = (what) => said.push({ holds: null, what })
  if (seen.length > 0 && Date.now() / 1000 - last > OLD_SECONDS)
    note('No witness has cosigned this head recently: the log may have stopped.')
  for (const one of notes.filter((text) => text.startsWith('RESTORE'))) note(one)
  $('head').replaceChildren(
    findings(said),
    make('details', {}, make('summary', {}, 'Root, key, and witnesses'), list),
  )
  for (const element of document.querySelectorAll('.vkey'))
    element.textContent = vkeys[0] ?? element.textContent
}

/** Offers a proof of the newest leaf of the agent. */
const newestLeaf = {
  name: 'proof',
  async verify({ entries }) {
    if (!entries) throw new Error('cannot be offered without the entries')
    const index = Math.max(...entries.map((entry) => entry.index))
    const file = `leaf-${index}.tlog-proof`
    $('proof').replaceChildren(
      make('a', { href: `/log/proof/${index}`, download: file }, `Download the proof of leaf ${index}`),
      ', which anyone can verify without this registry: ',
      make('code', {}, `agentreg verify --offline ${file} --vkey …`),
    )
    return `leaf ${index} can be proved to others`
  },
}

/** Verifies an agent, or only the log, and shows the head. */
async function run(reg, onWait) {
  const pinned = $('pinned').value.trim()
  let head = null
  const options = {
    onWait,
    also: reg ? [eventsCheck, historyCheck, newestLeaf] : [],
    openCheckpoint: async (note, info) => {
      const opened = await openWith(pinned, note, info)
      head = opened.checkpoint && { ...info, checkpoint: opened.checkpoint }
      return opened
    },
  }
  const found = reg
    ? await verifyAgent(location.origin, reg, options)
    : await verifyLog(location.origin, options)
  const check = found.checks.find(({ name }) => name === 'checkpoint')
  if (check?.ok && head) showHead(head, pinned !== '', found.notes)
  else if (check) $('head').replaceChildren(findings(toFindings(check)))
  return found
}

function showAgent(reg, { verdict, checks, notes, agent }) {
  const name = typeof agent?.name === 'string' ? `${agent.name}, ${reg}` : reg
  const shown = checks
    .filter(({ name }) => name !== newestLeaf.name)
    .sort((a, b) => Number(a.ok !== false) - Number(b.ok !== false))
    .flatMap(toFindings)
  if (verdict === 'failed') shown.push({ holds: null, what: KEEP })
  for (const what of notes) shown.push({ holds: null, what })
  $('result').replaceChildren(
    make('h3', { class: verdict === 'verified' ? 'holds' : 'fails' }, `${name}: ${VERDICTS[verdict]}`),
    findings(shown),
  )
  say(`${name}: ${VERDICTS[verdict]}.`, true) // the heading shows it
}

const numberOf = (text) => text.trim().toUpperCase()

async function verify() {
  turn += 1
  const own = turn
  const isCurrent = () => own === turn
  const reg = numberOf($('reg').value)
  const isNumber = NUMBER.test(reg)
  $('result').replaceChildren()
  $('proof').replaceChildren('Verify an agent above to download a proof for the newest of its leaves.')
  $('reg').setAttribute('aria-invalid', String(!isNumber))
  if (!isNumber) return reject('An agent number looks like REG-2026-0001-0042-U.')
  history.replaceState(null, '', `#${reg}`)
  for (const element of document.querySelectorAll('.reg')) element.textContent = reg
  $('result').setAttribute('aria-busy', 'true')
  say('Verifying …')
  try {
    const found = await run(
      reg,
      (seconds) => isCurrent() && say(`The registry is busy; continuing in ${Math.ceil(seconds)} seconds …`),
    )
    if (!isCurrent()) return
    if (found.verdict === 'unknown_agent') say(`This registry has no agent ${reg}.`)
    else showAgent(reg, found)
  } catch (error) {
    if (!isCurrent()) return
    if (!(error instanceof TypeError)) throw error
    reject('This is not a valid agent number: its last character is a check character, which does not match.')
  } finally {
    if (isCurrent()) $('result').removeAttribute('aria-busy')
  }
}

function reject(problem) {
  $('reg').setAttribute('aria-invalid', 'true')
  $('reg').focus()
  say(problem)
}

/** Verifies the agent in the fragment of the URL, in upper or lower case; returns whether there is one. */
async function verifyHash() {
  const named = location.hash.slice(1)
  if (!/^reg-/i.test(named)) return false
  $('reg').value = named
  await verify()
  return $('reg').getAttribute('aria-invalid') === 'false'
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
  if (!(await verifyHash())) await run('')
}

await start()
