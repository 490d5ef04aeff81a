import { toBinding } from './bind.ts';
import { METER } from './meters.ts';
import type { Emitter, Node } from './node.ts';
import { toMap } from './to-loop.ts';

const VIEWS = new Set(['keys', 'values', 'entries']);

/** What is iterated, and by which of its methods: `map.values()`. */
function toIterated(node: Node): { of: Node; kind: string | undefined } {
  const { type, callee, optional, arguments: given = [] } = node;
  const method = callee?.property?.name;
  const isView =
    type === 'CallExpression' &&
    optional !== true &&
    given.length === 0 &&
    callee?.type === 'MemberExpression' &&
    callee.computed !== true &&
    callee.optional !== true &&
    callee.object!.type !== 'Super' &&
    // `Object.keys()` is no view.
    method !== undefined &&
    VIEWS.has(method);
  return isView ? { of: callee.object!, kind: method } : { of: node, kind: undefined };
}

function toArguments(node: Node, emit: Emitter['emit']): string {
  const { of, kind } = toIterated(node);
  return kind === undefined ? emit(of) : `${emit(of)}, '${kind}'`;
}

/** `...map` as an iteration by index. */
export function toSpread({ argument }: Node, { emit }: Emitter): string {
  return `...${METER}.fresh(${toArguments(argument!, emit)})`;
}

/**
 * `[...map]`, `Array.from(map)` and `Array.from(map, callback)` as lists that are made by index.
 *
 * @returns Undefined for a node of another form.
 */
export function toList(node: Node, emitter: Emitter): string | undefined {
  const { emit } = emitter;
  if (node.type === 'ArrayExpression') {
    const [only, ...others] = node.elements ?? [];
    if (only?.type !== 'SpreadElement' || others.length > 0) return undefined;
    return `${METER}.from(${toArguments(only.argument!, emit)})`;
  }
  const { callee, arguments: [first, callback, ...others] = [] } = node;
  const isFrom =
    node.type === 'CallExpression' &&
    node.optional !== true &&
    callee?.type === 'MemberExpression' &&
    callee.computed !== true &&
    callee.optional !== true &&
    callee.object!.name === 'Array' &&
    callee.property!.name === 'from';
  if (!isFrom || !first || first.type === 'SpreadElement' || others.length > 0) return undefined;
  // Of a length, such as `{ length: 3 }`.
  if (first.type === 'ObjectExpression') return undefined;
  const list = `${METER}.from(${toArguments(first, emit)})`;
  return callback ? toMap(callback, list, emitter) : list;
}

/**
 * `for (const x of map)` as a loop by index, where that is the same.
 *
 * @returns Undefined for a node of another form.
 */
export function toForLoop(node: Node, emitter: Emitter): string | undefined {
  const { type, await: isAwait, left, right, body } = node;
  if (type !== 'ForOfStatement' || isAwait === true || left?.type !== 'VariableDeclaration' || left.kind === 'var')
    return undefined;
  const binding = toBinding(left.declarations![0]!.id, emitter);
  if (!binding) return undefined;
  const { emit, name } = emitter;
  const { of, kind } = toIterated(right!);
  const [value, list, at, item] = [name('value'), name('list'), name('at'), name('item')];
  const text = emit(body as Node);
  const declared = emit(left);
  const view = kind === undefined ? '' : `, '${kind}'`;
  return [
    `{ const ${value} = ${emit(of)}, ${list} = ${METER}.listOf(${value}${view}); ${binding.before}`,
    `if (${list} !== undefined) for (let ${at} = 0; ${at} < ${list}.length; ${at}++) {`,
    `const ${item} = ${list}[${at}]; ${binding.each(item)} ${text} }`,
    `else for (${declared} of ${value}${kind === undefined ? '' : `.${kind}()`}) ${text} }`,
  ].join(' ');
}
