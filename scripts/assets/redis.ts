import { ts } from '@ts-morph/common'
import { exportsOf, keepFor, readStatements, walk } from './statements.ts'

/** The commands that the Worker and the limiter use. */
const COMMANDS = ['eval', 'evalsha', 'get', 'hincrby', 'hset', 'ping', 'set']
/** Other members of the clients that neither uses. */
const UNUSED = [
  ...['json', 'functions', 'createScript', 'autoPipeline', 'length', 'search', 'vector'],
  ...['subscribe', 'psubscribe', 'xautoclaim'],
]
const CLIENTS = ['Redis', 'Pipeline']
const COMMAND = /Command$/

/**
 * The client of Upstash's Redis without the unused commands. Each of the 300 commands is a member of its two classes,
 * so a bundler keeps them all.
 *
 * @param shared the module that all platforms of the package share
 * @param platform `cloudflare.mjs`, which imports only that module
 * @throws Error when the files are not built as expected
 */
export function redisClient(shared: string, platform: string): string {
  const [first, second] = [parse(shared), parse(platform)]
  const clients = first.statements.flatMap((node) => (ts.isVariableStatement(node) ? clientsIn(node) : []))
  if (clients.length !== CLIENTS.length) throw new Error("Upstash's client has its classes elsewhere")
  const dropped = clients.flatMap(({ members }) => members.filter(isUnused))
  const text = dropped.reduceRight(
    (left, node) => left.slice(0, node.getFullStart()) + left.slice(node.end),
    shared,
  )
  const statements = [...readStatements(parse(text)), ...readStatements(second)]
  const exported = [...exportsOf(second)].filter(([name]) => name === 'Redis')
  const texts = keepFor(
    exported.map(([, local]) => local),
    statements,
  ).map((one) => one.text)
  const names = exported.map(([name, local]) => `${local} as ${name}`)
  if (names.length !== 1) throw new Error("Upstash's client exports no Redis")
  return `${texts.join('\n')}\nexport { ${names} }\n`
}

function parse(source: string): ts.SourceFile {
  return ts.createSourceFile("Upstash's client", source, ts.ScriptTarget.Latest, true)
}

function clientsIn(node: ts.VariableStatement): ts.ClassExpression[] {
  return node.declarationList.declarations.flatMap(({ name, initializer }) =>
    initializer && ts.isClassExpression(initializer) && ts.isIdentifier(name) && CLIENTS.includes(name.text)
      ? [initializer]
      : [],
  )
}

function isUnused(member: ts.ClassElement): boolean {
  const name = member.name && ts.isIdentifier(member.name) ? member.name.text : ''
  return UNUSED.includes(name) || (givesCommand(member) && !COMMANDS.includes(name))
}

function givesCommand(member: ts.ClassElement): boolean {
  let isCommand = false
  walk(member, (node) => {
    if (ts.isNewExpression(node) && ts.isIdentifier(node.expression))
      isCommand ||= COMMAND.test(node.expression.text)
  })
  return isCommand
}
