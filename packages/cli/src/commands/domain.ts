import { type Command, Option } from 'commander'
import { unwrap } from '../../../client/index.ts'
import { action, type Context } from '../context.ts'
import { plain, printFacts } from '../output.ts'
import { readReg } from '../words.ts'

/** Adds the commands that verify the domain of an agent. */
export function addDomain(program: Command): void {
  const domain = program.command('domain').description('The verified domain of one of your agents.')
  domain
    .command('challenge')
    .argument('<reg>', 'the number of the agent', readReg)
    .argument('<domain>', 'the domain, such as agents.example.com')
    .addOption(
      new Option('--method <method>', 'a TXT record or a file').choices(['dns', 'http']).default('dns'),
    )
    .description('Prints the record or file to publish.')
    .action(action(challenge))
  domain
    .command('verify')
    .argument('<reg>', 'the number of the agent', readReg)
    .description('Checks the published record or file.')
    .action(action(verify))
}

async function challenge(
  context: Context,
  reg: string,
  domain: string,
  { method }: { method: 'dns' | 'http' },
): Promise<void> {
  const call = { params: { path: { reg } }, body: { domain, method } }
  const made = await unwrap(context.operator().POST('/agents/{reg}/ownership/challenge', call))
  context.data(made, (out) =>
    printFacts(out, [
      ...(made.method === 'dns'
        ? ([
            ['TXT record', made.record_name],
            ['Value', made.record_value],
          ] as const)
        : ([
            ['File', made.url],
            ['Content', JSON.stringify(made.content)],
          ] as const)),
      ['Until', made.expires_at],
      ['Then', `agentreg domain verify ${reg}`],
    ]),
  )
}

async function verify(context: Context, reg: string): Promise<void> {
  const call = { params: { path: { reg } } }
  const verified = await unwrap(context.operator().POST('/agents/{reg}/ownership/verify', call))
  context.data(verified, (out) => out.line(`${plain(verified.domain)} is verified for ${reg}.`))
}
