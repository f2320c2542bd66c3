import { ts } from '@ts-morph/common'

/** A top-level statement of a module, or one variable of a declaration. */
export interface Statement {
  text: string
  declares: string[]
  uses: Set<string>
  /** The names, declared elsewhere without a value, that it assigns. */
  sets: Set<string>
  /** For a statement that declares nothing: the name that it modifies. */
  completes: string | null
}

/**
 * The top-level statements of a module, without imports and exports.
 *
 * @throws Error for an unknown kind of statement
 */
export function readStatements(file: ts.SourceFile): Statement[] {
  return file.statements.flatMap((node) => statementsOf(node, file))
}

/** The statements that the names refer to, directly or indirectly, in their order. */
export function keepFor(names: readonly string[], statements: readonly Statement[]): Statement[] {
  const byName = new Map<string, Statement[]>()
  for (const one of statements) {
    const known = [...one.declares, ...one.sets, ...(one.completes === null ? [] : [one.completes])]
    for (const name of known) byName.set(name, [...(byName.get(name) ?? []), one])
  }
  const kept = new Set<Statement>()
  const keep = (name: string): void => {
    for (const one of byName.get(name) ?? []) {
      if (kept.has(one)) continue
      kept.add(one)
      for (const used of [...one.declares, ...one.uses]) keep(used)
    }
  }
  for (const name of names) keep(name)
  return statements.filter((one) => kept.has(one))
}

function statementsOf(node: ts.Statement, file: ts.SourceFile): Statement[] {
  const text = node.getText(file)
  const none = { sets: new Set<string>(), completes: null }
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node) || ts.isEmptyStatement(node)) return []
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

/** The variables assigned by a part of the bundle that runs once, at its first use: `var part = once(() => {…})`. */
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

/** The name that a statement modifies: `name(subject, "…")`, `part()`, `subject[…] = …`. */
function completedBy(node: ts.Statement, file: ts.SourceFile): string {
  const expression = ts.isExpressionStatement(node) ? node.expression : null
  if (expression && ts.isCallExpression(expression)) {
    const subject = expression.arguments[0] ?? expression.expression
    if (ts.isIdentifier(subject)) return subject.text
  }
  if (expression && ts.isBinaryExpression(expression) && ts.isElementAccessExpression(expression.left)) {
    return expression.left.expression.getText(file)
  }
  throw new Error(`${file.fileName} has an unknown kind of statement: ${node.getText(file).slice(0, 60)}`)
}

/** The exported names of a module, with their local names. */
export function exportsOf(file: ts.SourceFile): Map<string, string> {
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

/** Visits a node and its descendants. */
export function walk(node: ts.Node, see: (node: ts.Node) => void): void {
  see(node)
  ts.forEachChild(node, (child) => walk(child, see))
}
