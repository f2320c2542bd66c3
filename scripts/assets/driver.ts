import { ts } from '@ts-morph/common'

/** What the Worker and drizzle import of Neon's driver. */
const WANTED = ['neon', 'neonConfig']

interface Statement {
  text: string
  declares: string[]
  uses: Set<string>
  /** The names, declared elsewhere without a value, that it gives one. */
  sets: Set<string>
  /** Of one that declares nothing: the name that it completes. */
  completes: string | null
}

/**
 * Neon's driver without what only its WebSocket client runs.
 *
 * The package is one file that was bundled before: a bundler cannot tell what of it has no effect. Here each statement
 * of its top level stays that what is wanted refers to, as it stands and in its order; the others are left out.
 *
 * @param source `index.mjs` of `@neondatabase/serverless`
 * @returns a module with the exports `neon`, `neonConfig` and `types`
 * @throws Error when the file is not built as expected
 */
export function httpDriver(source: string): string {
  const file = ts.createSourceFile('driver.mjs', source, ts.ScriptTarget.Latest)
  const statements = file.statements.flatMap((node) => statementsOf(node, file))
  const byName = new Map<string, Statement[]>()
  for (const one of statements) {
    const names = [...one.declares, ...one.sets, ...(one.completes === null ? [] : [one.completes])]
    for (const name of names) byName.set(name, [...(byName.get(name) ?? []), one])
  }
  const kept = new Set<Statement>()
  const keep = (name: string): void => {
    for (const one of byName.get(name) ?? []) {
      if (kept.has(one)) continue
      kept.add(one)
      for (const used of [...one.declares, ...one.uses]) keep(used)
    }
  }
  const exported = exportsOf(file)
  const locals = WANTED.map((name) => {
    const local = exported.get(name)
    if (!local) throw new Error(`Neon's driver has no export ${name}`)
    return { name, local }
  })
  // The package gets `types` from the client that it wraps; here it comes from the module that the client has it from.
  const parsers = statements.filter(({ text }) => /\.builtins=/.test(text))
  const [types] = parsers[0]?.declares ?? []
  if (parsers.length !== 1 || !types) throw new Error("Neon's driver has its type parsers elsewhere")
  for (const { local } of locals) keep(local)
  keep(types)
  const names = locals.map(({ name, local }) => `${local} as ${name}`).join(', ')
  const texts = statements.filter((one) => kept.has(one)).map(({ text }) => text)
  return `${texts.join('\n')}\nexport { ${names} }\nexport const types = ${types}()\n`
}

function statementsOf(node: ts.Statement, file: ts.SourceFile): Statement[] {
  const text = node.getText(file)
  const none = { sets: new Set<string>(), completes: null }
  if (ts.isExportDeclaration(node) || ts.isEmptyStatement(node)) return []
  if (ts.isFunctionDeclaration(node) || ts.isClassDeclaration(node)) {
    return [{ text, declares: [node.name?.text ?? ''], uses: namesIn(node), ...none }]
  }
  if (ts.isVariableStatement(node)) {
    return node.declarationList.declarations.map((one) => ({
      text: `var ${one.getText(file)};`,
      declares: [one.name.getText(file)],
      uses: namesIn(one),
      sets: setBy(one.initializer),
      completes: null,
    }))
  }
  return [{ text, declares: [], uses: namesIn(node), sets: new Set(), completes: completedBy(node, file) }]
}

/** A part of the bundle that runs once, at its first use, and sets variables outside: `var part = once(() => {…})`. */
function setBy(initializer: ts.Expression | undefined): Set<string> {
  const names = new Set<string>()
  if (!initializer || !ts.isCallExpression(initializer)) return names
  const [body] = initializer.arguments
  if (!body || !ts.isArrowFunction(body) || body.parameters.length > 0) return names
  walk(body, (node) => {
    const isAssignment = ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.EqualsToken
    if (isAssignment && ts.isIdentifier(node.left)) names.add(node.left.text)
  })
  return names
}

/** `name(subject, "…")`, `part()`, `subject[…] = …` */
function completedBy(node: ts.Statement, file: ts.SourceFile): string {
  const expression = ts.isExpressionStatement(node) ? node.expression : null
  if (expression && ts.isCallExpression(expression)) {
    const subject = expression.arguments[0] ?? expression.expression
    if (ts.isIdentifier(subject)) return subject.text
  }
  if (expression && ts.isBinaryExpression(expression) && ts.isElementAccessExpression(expression.left)) {
    return expression.left.expression.getText(file)
  }
  throw new Error(`Neon's driver has a statement of a new kind: ${node.getText(file).slice(0, 60)}`)
}

function exportsOf(file: ts.SourceFile): Map<string, string> {
  const names = new Map<string, string>()
  for (const node of file.statements) {
    if (!ts.isExportDeclaration(node) || !node.exportClause || !ts.isNamedExports(node.exportClause)) continue
    for (const { name, propertyName } of node.exportClause.elements) {
      names.set(name.text, (propertyName ?? name).text)
    }
  }
  return names
}

function namesIn(node: ts.Node): Set<string> {
  const names = new Set<string>()
  walk(node, (one) => {
    if (ts.isIdentifier(one)) names.add(one.text)
  })
  return names
}

function walk(node: ts.Node, see: (node: ts.Node) => void): void {
  see(node)
  ts.forEachChild(node, (child) => walk(child, see))
}
