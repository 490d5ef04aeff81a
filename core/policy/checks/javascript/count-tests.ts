import {
  isAssertion,
  isEmptyAssertion,
  isPromised,
  looksLikeAssertion,
  readTestCall,
  rowsOf,
  type Trusted,
} from './assertion-call.ts';
import { isTrue, mayLeave, namesOfLoop, rowsOfLoop } from './control-flow.ts';
import { CONTEXT, lookUp, namesIn, openBlock, openProgram, originOf, type Scope } from './scope.ts';
import {
  allChildren,
  childOf,
  childrenOf,
  isClass,
  isFunction,
  nameOf,
  plain,
  propertyOf,
  textOf,
  walk,
  type Node,
} from './source-tree.ts';

/** The assertions of a source. */
export interface CountedTests {
  /** Texts of the assertions that run whenever their test runs, by the name of the test. Repeated as often as they run. */
  tests: Map<string, string[]>;
  /** Names of the tests, also of those without an assertion. */
  names: Set<string>;
  /** Names of the tests that are skipped, always or under a condition. */
  skipped: Set<string>;
  /** Number of all assertions, also of those that may not run. */
  all: number;
}

/** Where a statement runs. */
interface Place {
  scope: Scope;
  /** Name of the test, with those of its suites. */
  test: string;
  times: number;
  /** The test, or a suite around it, may be skipped. */
  isSkipped: boolean;
  /** Something waits for the value. */
  awaited: boolean;
  /** Something waits for the value of the function. */
  returned: boolean;
  /** Functions that are being called. */
  calls: readonly Node[];
}

/** The longest table that counts row by row. */
const MAX_ROWS = 1_000;
/** Calls inside of calls that are followed. */
const DEEPEST = 8;

/**
 * Counts the assertions of a source that certainly run and certainly fail their test. What the text does not show to
 * run does not count: so a new way to hide an assertion is not another case.
 */
export function countTests(program: Node, path: string, trusted: Trusted = new Set()): CountedTests {
  const counter = new Counter(trusted);
  const scope = openProgram(program, path);
  const place: Place = { scope, test: '', times: 1, isSkipped: false, awaited: false, returned: false, calls: [] };
  counter.runAll(childrenOf(program, 'body'), place);
  counter.runExports(program, place);
  const sites = [...walk(program)].filter((node) => node.type === 'CallExpression' && looksLikeAssertion(node));
  const seen = new Set([...sites, ...counter.times.keys()]);
  // The call in `expect(a).toBe(b)` that is not the last.
  const outer = [...seen].filter(
    (site) => ![...seen].some((other) => other !== site && other.start === site.start && other.end > site.end),
  );
  const all = outer.reduce((sum, site) => sum + Math.max(1, counter.times.get(site) ?? 0), 0);
  return { tests: counter.tests, names: counter.names, skipped: counter.skipped, all };
}

/** Modules other than the known ones from which a source takes its assertions and tests. */
export function readTrusted(program: Node, path: string): string[] {
  const scope = openProgram(program, path);
  return [...walk(program)].flatMap((node) => {
    if (
      node.type !== 'CallExpression' ||
      !(looksLikeAssertion(node) || /^(?:test|it|describe)$/.test(nameOf(childOf(node, 'callee')) ?? ''))
    )
      return [];
    return originOf(node, scope)?.source ?? [];
  });
}

class Counter {
  readonly tests = new Map<string, string[]>();
  readonly names = new Set<string>();
  readonly skipped = new Set<string>();
  readonly times = new Map<Node, number>();
  readonly #trusted: Trusted;

  constructor(trusted: Trusted) {
    this.#trusted = trusted;
  }

  /** Statements up to the first that may leave the others out. */
  runAll(statements: readonly Node[], place: Place): void {
    for (const statement of statements) {
      this.run(statement, place);
      if (mayLeave(statement)) return;
    }
  }

  /** Functions that other files call: assertions in a helper of tests. */
  runExports(program: Node, place: Place): void {
    for (const statement of childrenOf(program, 'body')) {
      const declaration = childOf(statement, 'declaration');
      if (!statement.type.startsWith('Export') || !declaration) continue;
      const functions =
        declaration.type === 'VariableDeclaration'
          ? childrenOf(declaration, 'declarations').flatMap((it) => plain(childOf(it, 'init')) ?? [])
          : [declaration];
      for (const each of functions)
        if (isFunction(each)) this.#call(each, { ...place, test: `export ${declaration.start}`, awaited: true }, []);
    }
  }

  run(node: Node, place: Place): void {
    switch (node.type) {
      case 'BlockStatement':
        return this.runAll(childrenOf(node, 'body'), {
          ...place,
          scope: openBlock(place.scope, childrenOf(node, 'body')),
        });
      case 'ReturnStatement':
        return this.#runChild(node, 'argument', { ...place, awaited: place.returned });
      case 'IfStatement':
        this.#runChild(node, 'test', place);
        if (isTrue(childOf(node, 'test'))) this.#runChild(node, 'consequent', place);
        return;
      case 'ConditionalExpression':
        return this.#runChild(node, 'test', place);
      case 'LogicalExpression':
        return this.#runChild(node, 'left', place);
      case 'SwitchStatement':
        return this.#runChild(node, 'discriminant', place);
      case 'AssignmentExpression':
        if (/^(?:\|\||&&|\?\?)=$/.test(node['operator'] as string)) return;
        return this.#runChild(node, 'right', place);
      case 'AwaitExpression':
        return this.#runChild(node, 'argument', { ...place, awaited: true });
      case 'TryStatement':
        return this.#runTry(node, place);
      case 'ExpressionStatement': {
        const expression = plain(childOf(node, 'expression'))!;
        if (expression.type === 'MemberExpression' && isAssertion(expression, place.scope, this.#trusted)) {
          if (!isEmptyAssertion(expression, place.scope)) this.#record(expression, place);
          return;
        }
        return this.run(expression, { ...place, awaited: false });
      }
      case 'CallExpression':
        return this.#runCall(node, place);
      case 'OptionalCallExpression':
      case 'OptionalMemberExpression':
      case 'YieldExpression':
      case 'ForInStatement':
        return;
      case 'ForOfStatement':
      case 'ForStatement':
      case 'WhileStatement':
      case 'DoWhileStatement':
        return this.#runLoop(node, place);
      default:
        if (isFunction(node) || isClass(node)) return;
        for (const child of allChildren(node)) this.run(child, { ...place, awaited: false });
    }
  }

  #runChild(node: Node, key: string, place: Place): void {
    const child = plain(childOf(node, key));
    if (child) this.run(child, place);
  }

  #runTry(node: Node, place: Place): void {
    const last = childOf(node, 'finalizer');
    const handler = childOf(childOf(node, 'handler'), 'body');
    const rethrows = !handler || childrenOf(handler, 'body').at(-1)?.type === 'ThrowStatement';
    if (rethrows && !(handler && mayLeave(handler)) && !(last && mayLeave(last))) this.#runChild(node, 'block', place);
    if (last) this.run(last, place);
  }

  #runLoop(node: Node, place: Place): void {
    const body = childOf(node, 'body')!;
    const rows = rowsOfLoop(node, place.scope);
    if (rows === 0) return;
    const names = namesOfLoop(node);
    const scope = openBlock(place.scope, []);
    for (const name of names) scope.names.set(name, { kind: 'unknown' });
    this.run(body, { ...place, scope, times: place.times * (mayLeave(body) ? 1 : Math.min(rows, MAX_ROWS)) });
  }

  #runCall(node: Node, place: Place): void {
    const callee = plain(childOf(node, 'callee'))!;
    const given = childrenOf(node, 'arguments').map((each) => plain(each)!);
    const inner = { ...place, awaited: false };
    if (isAssertion(node, place.scope, this.#trusted)) {
      if (!isEmptyAssertion(node, place.scope) && (place.awaited || !isPromised(node, place.scope)))
        this.#record(node, place);
      return;
    }
    const test = readTestCall(node, place.scope, this.#trusted);
    if (test) return this.#runTest(node, test.isTable, { ...place, isSkipped: place.isSkipped || test.isSkipped });
    const called = this.#toFunction(callee, place.scope);
    if (called) this.#call(called.node, { ...place, scope: called.scope }, this.#bind(given, place.scope));
    if (callee.type === 'MemberExpression') this.#runMember(node, callee, place);
    else if (!isFunction(callee)) this.run(callee, inner);
    for (const each of given) if (!isFunction(each)) this.run(each, isAll(callee) ? { ...place } : inner);
  }

  /** `[1, 2].forEach(…)`, `await promise.then(…)`. */
  #runMember(node: Node, callee: Node, place: Place): void {
    const object = plain(childOf(callee, 'object'))!;
    const name = propertyOf(callee) ?? '';
    const [first, ...more] = childrenOf(node, 'arguments');
    const body = first && this.#toFunction(plain(first)!, place.scope);
    const rows = /^(?:forEach|map|flatMap)$/.test(name) ? Math.min(rowsOf(object, place.scope), MAX_ROWS) : 0;
    if (body && rows > 0)
      this.#call(
        body.node,
        { ...place, scope: body.scope, times: place.times * rows, awaited: place.awaited && name === 'map' },
        [],
      );
    const isThen = name === 'then' && more.length === 0 && place.awaited;
    if (body && isThen) this.#call(body.node, { ...place, scope: body.scope }, []);
    this.run(object, { ...place, awaited: isThen });
  }

  #runTest(node: Node, isTable: boolean, place: Place): void {
    const given = childrenOf(node, 'arguments').map((each) => plain(each)!);
    const body = given.flatMap((each) => this.#toFunction(each, place.scope) ?? []).at(-1);
    if (!body) return;
    const [title] = given;
    const name = title && !isFunction(title) ? (nameOf(title) ?? title.type) : '';
    const table = isTable ? childrenOf(childOf(node, 'callee'), 'arguments')[0] : undefined;
    const times = place.times * Math.max(1, Math.min(rowsOf(table, place.scope), MAX_ROWS));
    const test = [place.test, name].filter(Boolean).join(' > ');
    (place.isSkipped ? this.skipped : this.names).add(test);
    this.#call(body.node, { ...place, scope: body.scope, test, times, awaited: true }, isTable ? [] : CONTEXT);
  }

  /** A function that the text shows: written here, or under a name. */
  #toFunction(node: Node, scope: Scope): { node: Node; scope: Scope } | undefined {
    if (isFunction(node)) return { node, scope };
    const found = node.type === 'Identifier' ? lookUp(scope, nameOf(node)!) : undefined;
    return found?.kind === 'function' ? found : undefined;
  }

  #bind(given: readonly Node[], scope: Scope): Argument[] {
    return given.map((each) => this.#toFunction(each, scope));
  }

  #call(node: Node, place: Place, given: readonly Argument[] | typeof CONTEXT): void {
    const isLost = node['async'] === true && !place.awaited;
    if (node['generator'] === true || isLost || place.calls.includes(node) || place.calls.length > DEEPEST) return;
    const scope = openBlock(place.scope, []);
    for (const [at, parameter] of childrenOf(node, 'params').entries())
      declareParameter(scope, parameter, given === CONTEXT ? (at === 0 ? CONTEXT : undefined) : given[at]);
    const body = childOf(node, 'body')!;
    this.run(body, { ...place, scope, returned: place.awaited, calls: [...place.calls, node] });
  }

  #record(node: Node, { test, times, isSkipped }: Place): void {
    if (isSkipped) return;
    this.times.set(node, (this.times.get(node) ?? 0) + times);
    const text = textOf(node);
    const texts = this.tests.get(test) ?? [];
    for (let at = 0; at < times && texts.length < MAX_ROWS; at++) texts.push(text);
    this.tests.set(test, texts);
  }
}

type Argument = { node: Node; scope: Scope } | undefined;

function declareParameter(scope: Scope, parameter: Node, given: Argument | typeof CONTEXT): void {
  for (const name of namesIn(parameter)) {
    const isContext =
      given === CONTEXT &&
      (parameter.type === 'Identifier' || (parameter.type === 'ObjectPattern' && /^(?:expect|assert)/.test(name)));
    if (isContext)
      scope.names.set(
        name,
        parameter.type === 'Identifier'
          ? { kind: 'import', source: CONTEXT, name: '' }
          : { kind: 'import', source: 'global', name },
      );
    else if (given && given !== CONTEXT && parameter.type === 'Identifier')
      scope.names.set(name, { kind: 'function', ...given });
    else scope.names.set(name, { kind: 'unknown' });
  }
}

function isAll(callee: Node): boolean {
  return (
    callee.type === 'MemberExpression' &&
    nameOf(childOf(callee, 'object')) === 'Promise' &&
    propertyOf(callee) === 'all'
  );
}
