import { eventsCheck, historyCheck, openCheckpoint, parsePolicy, verifyAgent, verifyLog } from './verify.js'

const NUMBER = /^REG-\d{4}-\d{4}-\d{4}-[0-9A-Z]$/
const OLD_SECONDS = 900 // the alert threshold of the service
const NAMES = { token: 'Signed statement', checkpoint: 'Head', history: 'Score history' }
const VERDICTS = {
  verified: 'everything is correct',
  failed: 'a check failed. Keep the evidence: run the command below, once with --state and once with --save',
  incomplete: 'not everything could be checked',
}
const MARKS = { holds: '✓ ', fails: '✗ ', says: '' }

const $ = (id) => document.getElementById(id)
const upperFirst = (text) => text.charAt(0).toUpperCase() + text.slice(1)
const minute = (time) => `${new Date(time * 1000).toISOString().slice(0, 16).replace('T', ' ')} UTC`

/** Creates an element with attributes and children, which are texts and elements. */
function make(name, attributes, ...inside) {
  const element = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value)
  element.append(...inside)
  return element
}

/** A line of results. */
const line = (look, name, text) =>
  make('li', { class: look }, make('strong', {}, `${MARKS[look]}${name}: `), text.replace(/(?<![.?!])$/, '.'))

const note = (text) => line('says', 'Note', upperFirst(text))

/** The results of a check: one for each line of its detail. */
const linesOf = ({ name, ok, detail }) =>
  detail
    .split('\n')
    .map((text) =>
      line(ok ? 'holds' : ok === false ? 'fails' : 'says', NAMES[name] ?? upperFirst(name), text),
    )

/** Verifies a head with the pinned key or those of the registry, and with the witnesses that it names. */
async function openWith(pinned, head, { vkeys, witnesses }) {
  const logs = (pinned === '' ? vkeys : [pinned]).map((vkey) => `log ${vkey}`)
  const others = witnesses.map(({ vkey }, at) => `witness w${at} ${vkey}`)
  const policy = await parsePolicy([...logs, ...others, 'quorum none'].join('\n'))
  try {
    return await openCheckpoint(head, policy)
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
  const last = Math.max(...seen)
  const isOld = seen.length > 0 && Date.now() / 1000 - last > OLD_SECONDS
  const rows = [
    ['Log', checkpoint.origin],
    ['Root', btoa(String.fromCharCode(...checkpoint.root))],
    ...vkeys.map((vkey) => ['Key to pin', vkey]),
    ...witnesses.map(({ name }, at) => [name, times[at] ? `cosigned ${minute(times[at])}` : 'not this head']),
  ].map(([name, value]) => [make('dt', {}, name), make('dd', { class: 'mono' }, value)])
  const results = [
    line(
      'holds',
      'Signed',
      isPinned
        ? 'by the key that you have pinned'
        : 'by the key below, which was taken from the registry itself: compare it with the key that others have',
    ),
    line(
      'holds',
      'Complete',
      `the tiles of its right edge result in the signed root of ${checkpoint.size.toLocaleString('en')} leaves`,
    ),
    seen.length > 0
      ? line('holds', 'Witnessed', `by ${seen.length} of ${witnesses.length} witnesses, last ${minute(last)}`)
      : line('says', 'Not witnessed', 'only the registry states that everyone is shown the same head'),
    ...(isOld ? [note('no witness has cosigned this head recently: the log may have stopped')] : []),
    ...notes.filter((text) => text.startsWith('RESTORE')).map(note),
  ]
  $('head').replaceChildren(
    make('ul', { class: 'list' }, ...results),
    make(
      'details',
      {},
      make('summary', {}, 'Root, key, and witnesses'),
      make('dl', { class: 'facts' }, ...rows.flat()),
    ),
  )
  document.querySelector('.vkey').textContent = vkeys[0]
}

/** Offers a proof of the newest leaf of the agent. */
const newestLeaf = {
  name: 'proof',
  async verify({ entries }) {
    if (!entries?.length) throw new Error('cannot be offered without entries of the log')
    const index = Math.max(...entries.map((entry) => entry.index))
    const file = `leaf-${index}.tlog-proof`
    $('proof').replaceChildren(
      make('a', { class: 'button', href: `/log/proof/${index}`, download: file }, 'Download proof'),
      ` of leaf ${index}, the newest of this agent. Anyone can verify it without this registry: `,
      make('code', {}, `agentreg verify --offline ${file} --vkey …`),
    )
    return `leaf ${index} can be proved to others`
  },
}

/** Verifies an agent, or only the log, and shows the head. */
async function run(reg) {
  const pinned = $('pinned').value.trim()
  let head = null
  const options = {
    onWait: (seconds) => say(`The registry is busy; continuing in ${Math.ceil(seconds)} seconds …`),
    also: reg ? [eventsCheck, historyCheck, newestLeaf] : [],
    openCheckpoint: async (text, info) => {
      const opened = await openWith(pinned, text, info)
      head = opened.checkpoint && { ...info, checkpoint: opened.checkpoint }
      return opened
    },
  }
  const found = await (reg ? verifyAgent(location.origin, reg, options) : verifyLog(location.origin, options))
  const check = found.checks.find(({ name }) => name === 'checkpoint')
  if (check?.ok && head) showHead(head, pinned !== '', found.notes)
  else if (check) $('head').replaceChildren(make('ul', { class: 'list' }, ...linesOf(check)))
  return found
}

function say(text, look = '') {
  $('progress').className = look
  $('progress').replaceChildren(make('strong', {}, text))
}

function reject(problem) {
  $('reg').setAttribute('aria-invalid', 'true')
  $('reg').focus()
  say(problem)
}

async function verify(reg) {
  $('reg').value = reg
  $('reg').removeAttribute('aria-invalid')
  for (const part of ['result', 'proof']) $(part).replaceChildren()
  if (!NUMBER.test(reg)) return reject('An agent number looks like REG-2026-0001-0042-U.')
  history.replaceState(null, '', `#${reg}`)
  document.querySelector('.reg').textContent = reg
  say('Verifying …')
  $('fields').disabled = true
  const found = await run(reg).catch((error) => error)
  $('fields').disabled = false
  if (found instanceof TypeError)
    return reject(
      'This is not a valid agent number: its last character is a check character, which does not match.',
    )
  if (found instanceof Error) throw found
  const { verdict, checks, notes, agent } = found
  if (verdict === 'unknown_agent') return say(`This registry has no agent ${reg}.`)
  const name = typeof agent?.name === 'string' ? `${agent.name}, ${reg}` : reg
  const shown = checks
    .filter(({ name }) => name !== newestLeaf.name)
    .sort((a, b) => Number(a.ok !== false) - Number(b.ok !== false))
  say(`${name}: ${VERDICTS[verdict]}.`, verdict === 'verified' ? 'holds' : 'fails')
  $('result').replaceChildren(...shown.flatMap(linesOf), ...notes.map(note))
}

async function start() {
  if (!globalThis.crypto?.subtle)
    return $('head').replaceChildren('Browsers verify signatures only over HTTPS: open this page with https.')
  $('form').addEventListener('submit', (event) => {
    event.preventDefault()
    void verify($('reg').value.trim().toUpperCase())
  })
  addEventListener('hashchange', () => location.reload()) // another agent
  $('fields').disabled = false
  const named = location.hash.slice(1).toUpperCase()
  if (named.startsWith('REG-')) await verify(named)
  if (!$('head').querySelector('ul')) await run('')
}

await start()
