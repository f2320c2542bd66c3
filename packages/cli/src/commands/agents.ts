import { type Command, Option } from 'commander'
import { type Schemas, unwrap } from '../../../client/index.ts'
import { action, type Context } from '../context.ts'
import { plain, printFacts } from '../output.ts'
import { addList } from '../paging.ts'
import { confirm } from '../terminal.ts'
import { readReg } from '../words.ts'

type Class = Schemas['AgentInput']['class']
type Listed = Omit<Schemas['SearchItem'], 'operator_name'>

/** The columns of every list of agents. */
const COLUMNS = {
  NUMBER: (agent: Listed) => agent.reg,
  NAME: (agent: Listed) => agent.name,
  CLASS: (agent: Listed) => agent.class,
  STATUS: (agent: Listed) => agent.status,
  SCORE: (agent: Listed) => agent.trust_score_overall,
  TASKS: (agent: Listed) => agent.tasks_completed,
} as const

interface Texts {
  description?: string
  specialization?: string[]
  homepage?: string
  card?: string
  platform?: string
}

/** Adds the commands for agents. */
export function addAgents(program: Command): void {
  const agents = program.command('agents').description('Agents: yours, and those of others.')
  addList(
    agents.command('list').description('Lists your agents, newest first.'),
    (context, query) => context.operator().GET('/operators/me/agents', { params: { query } }),
    { ...COLUMNS, PLATFORM: (agent) => agent.platform_slug },
    'You have no agents: agentreg agents create "Invoice Reader" --class A',
  )
  addList(
    agents
      .command('search')
      .argument('[text]', 'words of the name, the description or the specializations')
      .description('Searches all agents. Needs no login.')
      .addOption(classOption())
      .option('--platform <slug>', 'only agents on this platform')
      .addOption(
        new Option('--status <status>', 'only agents in this state').choices(['active', 'deactivated']),
      )
      .addOption(
        new Option(
          '--operator-status <status>',
          'only agents whose operator is in this state; active, if omitted',
        ).choices(['active', 'suspended']),
      ),
    (context, query, q: string | undefined, { operatorStatus, ...options }: Search) => {
      const given = { ...(q && { q }), ...(operatorStatus && { operator_status: operatorStatus }) }
      return context.anyone().GET('/agents/search', { params: { query: { ...options, ...query, ...given } } })
    },
    { ...COLUMNS, OPERATOR: (agent) => agent.operator_name },
    'No agent was found.',
  )
  agents
    .command('get')
    .argument('<reg>', 'the number of the agent', readReg)
    .description('Shows the public profile of an agent. Needs no login.')
    .action(action(getAgent))
  addTexts(
    agents
      .command('create')
      .argument('<name>', 'the name, at most 255 characters')
      .addOption(classOption().makeOptionMandatory())
      .description('Registers an agent; it receives a permanent number.'),
  )
    .addHelpText(
      'after',
      '\nExample:\n  agentreg agents create "Invoice Reader" --class A --specialization invoices',
    )
    .action(action(createAgent))
  addTexts(
    agents
      .command('update')
      .argument('<reg>', 'the number of the agent', readReg)
      .option('--name <name>', 'another name')
      .description('Changes one of your agents. An empty text ("") clears the field.'),
  ).action(action(updateAgent))
  agents
    .command('deactivate')
    .argument('<reg>', 'the number of the agent', readReg)
    .option('--yes', 'do not ask')
    .description('Deactivates one of your agents, permanently.')
    .action(action(deactivateAgent))
}

function classOption(): Option {
  return new Option(
    '--class <class>',
    'how autonomous: A autonomous, S semi-autonomous, H human-assisted',
  ).choices(['A', 'S', 'H'])
}

function addTexts(command: Command): Command {
  return command
    .option('--description <text>', 'what the agent does')
    .option('--specialization <tag...>', 'tags')
    .option('--homepage <url>', 'a page about the agent, https')
    .option('--card <url>', "the agent's card, https")
    .option('--platform <slug>', 'the platform that the agent works on')
}

/** The fields of the API for the given options; an empty text becomes null. */
function toFields({ description, specialization, homepage, card, platform }: Texts) {
  return {
    ...(description !== undefined && { description }),
    ...(specialization !== undefined && { specializations: specialization.filter((tag) => tag !== '') }),
    ...(homepage !== undefined && { homepage_url: homepage || null }),
    ...(card !== undefined && { card_url: card || null }),
    ...(platform !== undefined && { platform_slug: platform || null }),
  }
}

interface Search {
  class?: Class
  platform?: string
  status?: 'active' | 'deactivated'
  operatorStatus?: 'active' | 'suspended'
}

async function getAgent(context: Context, reg: string): Promise<void> {
  const agent = await unwrap(context.anyone().GET('/agents/{reg}', { params: { path: { reg } } }))
  context.data(agent, (out) =>
    printFacts(out, [
      ['Number', agent.reg],
      ['Name', agent.name],
      ['Description', agent.description],
      ['Class', agent.class],
      [
        'Status',
        agent.operator_status === 'suspended' ? `${agent.status}, operator suspended` : agent.status,
      ],
      ['Withheld', agent.withheld?.join(', ')],
      ['Domain', agent.domain && `${agent.domain} (verified)`],
      ['Score', agent.trust_score_overall],
      ['Score changed', agent.trust_score_updated],
      ['Tasks', `${agent.tasks_completed} completed, ${agent.tasks_failed} failed`],
      ['Incidents', agent.incident_count],
      ['Operator', `${agent.operator_name}${agent.operator_name_verified ? ' (name verified)' : ''}`],
      ['Identity', agent.operator_kyc_status],
      ['Platform', agent.platform_name && `${agent.platform_name} (${agent.platform_state})`],
      ['Last active', agent.last_active_at],
      ['Registered', agent.registered_at],
    ]),
  )
}

async function createAgent(context: Context, name: string, options: Texts & { class: Class }): Promise<void> {
  const body = { name, class: options.class, ...toFields(options) }
  const agent = await unwrap(context.operator().POST('/agents', { body }))
  context.data(agent, (out) => {
    out.line(`Registered ${plain(agent.name)} as ${out.style('bold', agent.reg)}.`)
    out.line(`Its page: ${context.baseUrl}/agents/${agent.reg}`)
  })
}

async function updateAgent(context: Context, reg: string, options: Texts & { name?: string }): Promise<void> {
  const { name } = options
  const body = { ...(name !== undefined && { name }), ...toFields(options) }
  await change(context, reg, body)
}

async function deactivateAgent(context: Context, reg: string, { yes }: { yes?: boolean }): Promise<void> {
  await confirm(`This deactivates ${reg} permanently: it accepts no more events. Continue?`, yes)
  await change(context, reg, { status: 'deactivated' })
}

async function change(context: Context, reg: string, body: Schemas['AgentChanges']): Promise<void> {
  const params = { path: { reg } }
  const agent = await unwrap(context.operator().PATCH('/agents/{reg}', { params, body }))
  context.data(agent, (out) => out.line(`Changed ${reg}: ${plain(agent.name)}, ${agent.status}.`))
}
