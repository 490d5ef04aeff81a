import { CONTEXT, originOf, type Scope } from './scope.ts';
import {
  allChildren,
  childOf,
  childrenOf,
  isFunction,
  nameOf,
  plain,
  propertyOf,
  walk,
  type Node,
} from './source-tree.ts';

const ASSERT = /^(?:node:)?assert(?:\/strict)?$|^power-assert$/;
const FRAMEWORK =
  /^(?:node:test|vitest|mocha|ava|tape|tap|uvu|uvu\/assert|chai|bun:test|expect|should|@jest\/globals|@playwright\/test|global)$/;
const ASSERTS = /^(?:assert|expect|should)(?!ion)\w*$/;
const TESTS =
  /^(?:test|it|specify|describe|suite|context|before|after|beforeEach|afterEach|beforeAll|afterAll|setup|teardown|Deno)$/;
/** Members of `expect` that assert nothing, and of a test's context. */
const NO_EXPECT =
  /^(?:extend|any|anything|assertions|hasAssertions|objectContaining|arrayContaining|stringContaining|stringMatching|closeTo|addSnapshotSerializer|getState|setState)$/;
const NO_ASSERTION =
  /^(?:AssertionError|CallTracker|plan|use|timeout|test|describe|it|skip|todo|only|before|after|beforeEach|afterEach|mock|diagnostic|log|comment|end|teardown|context|runOnly|annotate)$/;
const SKIPS = /^(?:skip|todo|skipIf|runIf|fails|failing)$/;
/** Assertions that return a promise, whose failure is lost if nothing waits for it. */
const PROMISES = /^(?:rejects|doesNotReject|resolves|eventually|poll|throwsAsync|notThrowsAsync)$/;

/** Modules, in addition to the known ones, whose functions count as assertions and tests. */
export type Trusted = ReadonlySet<string>;

/** True for a call, or a property, that fails its test if a condition does not hold: the last one of `expect(a).not.toBe(b)`. */
export function isAssertion(call: Node, scope: Scope, trusted: Trusted): boolean {
  const origin = originOf(call, scope);
  if (!origin || origin.chain.some((name) => NO_ASSERTION.test(name))) return false;
  const { source, chain } = origin;
  if (ASSERT.test(source) || source === 'uvu/assert') return chain.filter((name) => name === '()').length === 1;
  const isContext = source === CONTEXT;
  if (isContext && chain[0] !== 'expect') return chain.length > 1 && chain.filter((name) => name === '()').length === 1;
  if (!isContext && !FRAMEWORK.test(source) && !trusted.has(source)) return false;
  const at = chain.findIndex((name) => ASSERTS.test(name));
  if (at < 0) return false;
  if (!chain[at]!.startsWith('expect')) return chain.indexOf('()') === chain.length - 1;
  const rest = chain.slice(at + 1);
  if (NO_EXPECT.test(rest[0] ?? '')) return false;
  // `expect(a).to.be.true` asserts without a call.
  if (call.type === 'MemberExpression') return rest[0] === '()' && rest.length > 2;
  // `expect(a)` alone proves nothing.
  return (
    rest.filter((name) => name === '()').length > 1 ||
    /^(?:unreachable|fail)$/.test(rest[0] ?? '') ||
    chain[at] !== 'expect'
  );
}

/** True for an assertion whose failure is lost unless something waits for it. */
export function isPromised(call: Node, scope: Scope): boolean {
  return originOf(call, scope)?.chain.some((name) => PROMISES.test(name)) ?? false;
}

/** True for a call that looks like an assertion, wherever its names come from. */
export function looksLikeAssertion(call: Node): boolean {
  let at = plain(childOf(call, 'callee'));
  for (; at?.type === 'MemberExpression'; at = plain(childOf(at, 'object')))
    if (ASSERTS.test(propertyOf(at) ?? '')) return true;
  const name = nameOf(at);
  return (
    name !== undefined && (ASSERTS.test(name) || (name === 't' && childOf(call, 'callee')?.type === 'MemberExpression'))
  );
}

/** How a call declares a test or a suite; undefined for any other call. */
export function readTestCall(
  call: Node,
  scope: Scope,
  trusted: Trusted,
): { isSkipped: boolean; isTable: boolean } | undefined {
  const origin = originOf(childOf(call, 'callee'), scope);
  if (!origin) return undefined;
  const { source, chain } = origin;
  const known = FRAMEWORK.test(source) || trusted.has(source) || source === CONTEXT;
  if (!known || !chain.some((name) => TESTS.test(name))) return undefined;
  const isTable = chain.includes('each') || chain.includes('for');
  // `test.each(rows)` is not yet the test.
  if (isTable && !chain.includes('()')) return undefined;
  const options = childrenOf(call, 'arguments').flatMap((each) =>
    each.type === 'ObjectExpression' ? allChildren(each).map((property) => nameOf(childOf(property, 'key')) ?? '') : [],
  );
  return { isSkipped: [...chain, ...options].some((name) => SKIPS.test(name)), isTable };
}

/** True for an assertion that no run can make fail, or that catches other assertions. */
export function isEmptyAssertion(call: Node, scope: Scope): boolean {
  const all: Node[] = [];
  for (let at: Node | undefined = call; at; at = plain(childOf(at, at.type === 'CallExpression' ? 'callee' : 'object')))
    all.push(...childrenOf(at, 'arguments'));
  if (all.some(assertsInside)) return true;
  return (
    all.length > 0 && all.every((each) => isConstant(each, scope)) && !/\b(?:fail|unreachable)$/.test(lastName(call))
  );
}

function assertsInside(argument: Node): boolean {
  return (
    isFunction(argument) &&
    [...walk(argument)].some((node) => node.type === 'CallExpression' && looksLikeAssertion(node))
  );
}

function lastName(call: Node): string {
  const callee = plain(childOf(call, 'callee'));
  return (callee?.type === 'MemberExpression' ? propertyOf(callee) : nameOf(callee)) ?? '';
}

const COMPOSED =
  /^(?:ArrayExpression|ObjectExpression|ObjectProperty|UnaryExpression|BinaryExpression|LogicalExpression|ConditionalExpression|TemplateLiteral|SpreadElement)$/;

/** True for a value that only the test itself determines. */
function isConstant(value: Node | undefined, scope: Scope): boolean {
  const node = plain(value);
  if (!node) return true;
  if (/Literal$|^TemplateElement$/.test(node.type) && node.type !== 'TemplateLiteral') return true;
  if (COMPOSED.test(node.type))
    return (node.type === 'ObjectProperty' ? [childOf(node, 'value')!] : allChildren(node)).every((each) =>
      isConstant(each, scope),
    );
  if (node.type !== 'Identifier') return false;
  const name = nameOf(node)!;
  if (/^(?:undefined|NaN|Infinity)$/.test(name)) return true;
  // Follows `const one = 1`, but not a circle.
  const found = originOf(node, scope) ? undefined : scopeValue(scope, name);
  return (
    found !== undefined &&
    found.node !== node &&
    found.node.type.endsWith('Literal') &&
    isConstant(found.node, found.scope)
  );
}

function scopeValue(scope: Scope, name: string): { node: Node; scope: Scope } | undefined {
  if (scope.assigned.has(name)) return undefined;
  for (let at: Scope | undefined = scope; at; at = at.parent) {
    const found = at.names.get(name);
    if (found) return found.kind === 'value' ? found : undefined;
  }
  return undefined;
}

/** Number of rows of an array that the source writes out; 0 if unknown. */
export function rowsOf(value: Node | undefined, scope: Scope, deepest = 3): number {
  const node = plain(value);
  if (node?.type === 'ArrayExpression') {
    const elements = childrenOf(node, 'elements');
    return elements.some(({ type }) => type === 'SpreadElement') ? 0 : elements.length;
  }
  if (node?.type === 'CallExpression' && /^(?:entries|values|keys)$/.test(lastName(node))) {
    const callee = childOf(node, 'callee');
    const object = callee && childOf(callee, 'object');
    const [argument] = childrenOf(node, 'arguments');
    if (nameOf(object) !== 'Object') return rowsOf(object, scope, deepest);
    return argument?.type === 'ObjectExpression' ? childrenOf(argument, 'properties').length : 0;
  }
  const name = nameOf(node);
  if (node?.type !== 'Identifier' || name === undefined || deepest === 0) return 0;
  const found = scopeValue(scope, name);
  return found ? rowsOf(found.node, found.scope, deepest - 1) : 0;
}
