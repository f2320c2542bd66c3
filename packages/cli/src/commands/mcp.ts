import { serveStdio } from '@modelcontextprotocol/server/stdio'
import type { Command } from 'commander'
import { action, type Context } from '../context.ts'
import { messageOf } from '../failure.ts'
import { makeServer } from '../mcp/server.ts'

/** Adds the command that serves models. */
export function addMcp(program: Command): void {
  program
    .command('mcp')
    .summary('serve the registry to a model (Model Context Protocol)')
    .description(
      'Serves the registry to models with the Model Context Protocol, on standard input and output. The tools only read and send no credential. This command is started by a program that runs models, and ends when its input ends.',
    )
    .addHelpText(
      'after',
      '\nIn the settings of such a program:\n' +
        '  {"mcpServers": {"agent-registry": {"command": "agentreg",\n' +
        '    "args": ["mcp", "--base-url", "https://registry.example"]}}}',
    )
    .action(action(serve))
}

async function serve({ baseUrl, anyone, err }: Context): Promise<void> {
  serveStdio(() => makeServer({ baseUrl, client: anyone() }), {
    onerror: (error) => err.line(`mcp: ${messageOf(error)}`),
  })
}
