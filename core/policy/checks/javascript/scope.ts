import { childOf, childrenOf, isFunction, nameOf, plain, propertyOf, walk, type Node } from './source-tree.ts';

/** What a name means at a place of a source. */
export type Binding =
  | { kind: 'import'; source: string; name: string }
  | { kind: 'function'; node: Node; scope: Scope }
  | { kind: 'value'; node: Node; scope: Scope }
  | { kind: 'unknown' };

export interface Scope {
  names: Map<string, Binding>;
  parent: Scope | undefined;
  /** Path of the source. */
  path: string;
  /** Names that the source assigns after their declaration. */
  assigned: ReadonlySet<string>;
}

/** The first parameter of a test: `t`, or the fixtures. */
export const CONTEXT = 'context of a test';
/** Names of runners that exist without an import. */
const GLOBALS =
  /^(?:assert|expect|test|it|specify|describe|suite|context|bench|before|after|beforeEach|afterEach|beforeAll|afterAll|setup|teardown|chai)$/;

export function openProgram(program: Node, path: string): Scope {
  const assigned = new Set<string>();
  for (const node of walk(program)) {
    const target = node.type === 'AssignmentExpression' ? childOf(node, 'left') : childOf(node, 'argument');
    if (!/^(?:AssignmentExpression|UpdateExpression)$/.test(node.type) || !target) continue;
    for (const name of namesIn(target)) assigned.add(name);
  }
  const scope: Scope = { names: new Map(), parent: undefined, path, assigned };
  declareAll(scope, childrenOf(program, 'body'));
  return scope;
}

/** A block inside a scope, with the names that its statements declare. */
export function openBlock(parent: Scope, statements: readonly Node[]): Scope {
  const scope: Scope = { ...parent, names: new Map(), parent };
  declareAll(scope, statements);
  return scope;
}

export function lookUp(scope: Scope, name: string): Binding | undefined {
  for (let at: Scope | undefined = scope; at; at = at.parent) {
    const found = at.names.get(name);
    if (found) return scope.assigned.has(name) ? { kind: 'unknown' } : found;
  }
  return undefined;
}

/** Names that a pattern, or the target of an assignment, binds. */
export function namesIn(pattern: Node): string[] {
  switch (pattern.type) {
    case 'Identifier':
      return [nameOf(pattern)!];
    case 'ObjectPattern':
      return childrenOf(pattern, 'properties').flatMap((it) =>
        namesIn(childOf(it, 'value') ?? childOf(it, 'argument') ?? it),
      );
    case 'ArrayPattern':
      return childrenOf(pattern, 'elements').flatMap(namesIn);
    case 'AssignmentPattern':
      return namesIn(childOf(pattern, 'left')!);
    case 'RestElement':
      return namesIn(childOf(pattern, 'argument')!);
    case 'TSParameterProperty':
      return namesIn(childOf(pattern, 'parameter')!);
    default:
      return [];
  }
}

function declareAll(scope: Scope, statements: readonly Node[]): void {
  // `var` of a nested block belongs to the function.
  for (const statement of statements)
    for (const node of walk(statement, isFunction))
      if (node.type === 'VariableDeclaration' && node['kind'] === 'var' && node !== statement)
        for (const { id } of childrenOf(node, 'declarations'))
          for (const name of namesIn(id as Node)) scope.names.set(name, { kind: 'unknown' });
  for (const statement of statements) declare(scope, statement);
}

function declare(scope: Scope, statement: Node): void {
  switch (statement.type) {
    case 'ExportNamedDeclaration':
    case 'ExportDefaultDeclaration': {
      const declaration = childOf(statement, 'declaration');
      if (declaration) declare(scope, declaration);
      return;
    }
    case 'ImportDeclaration': {
      const source = toModule(nameOf(childOf(statement, 'source')) ?? '', scope.path);
      for (const it of childrenOf(statement, 'specifiers')) {
        const local = nameOf(childOf(it, 'local'))!;
        const name =
          it.type === 'ImportSpecifier'
            ? nameOf(childOf(it, 'imported'))!
            : it.type === 'ImportDefaultSpecifier'
              ? local
              : '';
        scope.names.set(local, { kind: 'import', source, name });
      }
      return;
    }
    case 'FunctionDeclaration': {
      const name = nameOf(childOf(statement, 'id'));
      if (name !== undefined) scope.names.set(name, { kind: 'function', node: statement, scope });
      return;
    }
    case 'ClassDeclaration':
    case 'TSEnumDeclaration':
    case 'TSModuleDeclaration': {
      const name = nameOf(childOf(statement, 'id'));
      if (name !== undefined) scope.names.set(name, { kind: 'unknown' });
      return;
    }
    case 'VariableDeclaration':
      for (const it of childrenOf(statement, 'declarations')) declareVariable(scope, it);
  }
}

function declareVariable(scope: Scope, declarator: Node): void {
  const id = childOf(declarator, 'id')!;
  const init = plain(childOf(declarator, 'init'));
  if (id.type === 'Identifier' && init)
    scope.names.set(nameOf(id)!, { kind: isFunction(init) ? 'function' : 'value', node: init, scope });
  else {
    for (const name of namesIn(id)) scope.names.set(name, { kind: 'unknown' });
    const source = init && originOf(init, scope);
    if (source === undefined || id.type !== 'ObjectPattern') return;
    for (const it of childrenOf(id, 'properties')) {
      const local = childOf(it, 'value');
      const name = nameOf(childOf(it, 'key'));
      // With a default value, or a pattern inside, it may be something else.
      if (local?.type === 'Identifier' && name !== undefined)
        scope.names.set(nameOf(local)!, { kind: 'import', source: source.source, name });
    }
  }
}

/** Where a value comes from, and the names on the way: `assert.strict.equal` of `node:assert`. */
export interface Origin {
  source: string;
  chain: string[];
}

/** The origin of a value; undefined if the text does not show it. `open` guards against circles. */
export function originOf(
  value: Node | undefined,
  scope: Scope,
  open: ReadonlySet<Node> = new Set(),
): Origin | undefined {
  const node = plain(value);
  if (!node || open.has(node)) return undefined;
  const below = new Set([...open, node]);
  switch (node.type) {
    case 'Identifier': {
      const name = nameOf(node)!;
      const found = lookUp(scope, name);
      if (!found)
        return GLOBALS.test(name) && !scope.assigned.has(name) ? { source: 'global', chain: [name] } : undefined;
      if (found.kind === 'import') return { source: found.source, chain: found.name === '' ? [] : [found.name] };
      return found.kind === 'value' ? originOf(found.node, found.scope, below) : undefined;
    }
    case 'MemberExpression': {
      const origin = originOf(childOf(node, 'object'), scope, below);
      const name = propertyOf(node);
      return origin && name !== undefined ? { ...origin, chain: [...origin.chain, name] } : undefined;
    }
    case 'AwaitExpression':
      return originOf(childOf(node, 'argument'), scope, below);
    case 'ImportExpression':
      return toRequired(childOf(node, 'source'), scope);
    case 'CallExpression': {
      const callee = plain(childOf(node, 'callee'));
      const [first] = childrenOf(node, 'arguments');
      if (callee?.type === 'Import') return toRequired(first, scope);
      if (nameOf(callee) === 'require' && !lookUp(scope, 'require')) return toRequired(first, scope);
      const origin = originOf(callee, scope, below);
      return origin && { ...origin, chain: [...origin.chain, '()'] };
    }
    default:
      return undefined;
  }
}

function toRequired(module: Node | undefined, { path }: Scope): Origin | undefined {
  return module?.type === 'StringLiteral' ? { source: toModule(nameOf(module)!, path), chain: [] } : undefined;
}

/** A module by its name, or by its path from the workspace without the ending. */
function toModule(name: string, path: string): string {
  if (!name.startsWith('.')) return name;
  const parts = path.split('/').slice(0, -1);
  for (const part of name.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.' && part !== '') parts.push(part);
  }
  return `/${parts.join('/').replace(/\.[cm]?[jt]sx?$/, '')}`;
}
