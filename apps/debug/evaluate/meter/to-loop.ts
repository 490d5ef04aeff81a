import { toBinding } from './bind.ts';
import { METER, OUTER_SUM, SUM } from './meters.ts';
import { emitParts, FUNCTIONS, hasType, listParts, type Emitter, type Node } from './node.ts';

interface Names {
  /** The value whose method it is, and what {@link METER} says it is. */
  list: string;
  kind: string;
  at: string;
  /** The result. */
  made: string;
}

interface Step {
  before?: string;
  /** `value` is the callback's result, `item` the element. */
  each: (value: string, item: string, names: Names) => string;
  after: (names: Names) => string;
  isBackward?: boolean;
  /** Empty elements are visited, too. */
  isDense?: boolean;
}

const toTyped = ({ made, list, kind }: Names): string =>
  `${kind} === 'typed' ? ${METER}.toTyped(${made}, ${list}) : ${made}`;
const nothing = (): string => 'undefined';

/** What each method does in a loop. */
const METHODS: Readonly<Record<string, Step>> = {
  filter: {
    before: '[]',
    each: (value, item, { made }) => `if (${value}) ${made}[${made}.length] = ${item};`,
    after: toTyped,
  },
  map: { before: '[]', each: (value, _item, { made, at }) => `${made}[${at}] = ${value};`, after: toTyped },
  forEach: { each: (value) => `${value};`, after: nothing },
  find: { each: (value, item) => `if (${value}) return ${item};`, after: nothing, isDense: true },
  findIndex: { each: (value, _item, { at }) => `if (${value}) return ${at};`, after: () => '-1', isDense: true },
  findLast: { each: (value, item) => `if (${value}) return ${item};`, after: nothing, isBackward: true, isDense: true },
  findLastIndex: {
    each: (value, _item, { at }) => `if (${value}) return ${at};`,
    after: () => '-1',
    isBackward: true,
    isDense: true,
  },
  some: { each: (value) => `if (${value}) return true;`, after: () => 'false' },
  every: { each: (value) => `if (!${value}) return false;`, after: () => 'true' },
};
/** A callback with these is no block of a loop. */
const OWN_FUNCTION = new Set(['ThisExpression', 'MetaProperty', 'Super', 'YieldExpression', 'AwaitExpression']);

/**
 * `list.filter((item) => …)` as a loop, for a list, a typed array, a Map or a Set without a class of its own; anything
 * else is called as it is.
 *
 * @returns Undefined for a node of another form.
 */
export function toLoop(node: Node, emitter: Emitter): string | undefined {
  if (node.type !== 'CallExpression' || node.optional === true) return undefined;
  const { callee, arguments: [callback, initial, ...others] = [] } = node;
  if (callee?.type !== 'MemberExpression' || callee.computed === true || callee.optional === true) return undefined;
  const method = callee.property!.name!;
  if (!callback || !isPlain(callback) || others.length > 0 || callee.object!.type === 'Super') return undefined;
  if (initial?.type === 'SpreadElement') return undefined;
  if (method === 'reduce' && initial) return toReduce({ callback, initial, list: callee.object! }, emitter);
  const step = Object.hasOwn(METHODS, method) ? METHODS[method] : undefined;
  return step && !initial
    ? toMethod({ callback, method, step, list: emitter.emit(callee.object!) }, emitter)
    : undefined;
}

/** @param list The text of an expression. */
export function toMap(callback: Node, list: string, emitter: Emitter): string | undefined {
  return isPlain(callback) ? toMethod({ callback, method: 'map', step: METHODS['map']!, list }, emitter) : undefined;
}

function toMethod(
  { callback, method, step, list }: { callback: Node; method: string; step: Step; list: string },
  emitter: Emitter,
): string | undefined {
  const [pattern, index, ...more] = callback.params!;
  const binding = pattern && toBinding(pattern, emitter);
  if (!binding || more.length > 0 || (index && index.type !== 'Identifier')) return undefined;
  const { name, emit } = emitter;
  const [source, item, value, isMap] = [name('source'), name('item'), name('value'), name('isMap')];
  const names: Names = { list: name('list'), kind: name('kind'), at: name('at'), made: name('made') };
  const { at, made, kind } = names;
  const body = toBody(callback, value, emitter);
  if (body === undefined) return undefined;
  const loop = [
    `const ${source} = ${METER}.source(${names.list}, ${kind}), ${isMap} = ${kind} === 'map';`,
    step.before === undefined ? '' : `const ${made} = ${step.before};`,
    binding.before,
    step.isBackward === true
      ? `for (let ${at} = ${source}.length - 1; ${at} >= 0; ${at}--) {`
      : `for (let ${at} = 0; ${at} < ${source}.length; ${at}++) {`,
    `const ${item} = ${isMap} ? ${source}[${at}][1] : ${source}[${at}];`,
    step.isDense === true ? '' : `if (${item} === undefined && !(${at} in ${source})) continue;`,
    binding.each(item),
    index ? `let ${index.name} = ${isMap} ? ${source}[${at}][0] : ${kind} === 'set' ? ${item} : ${at};` : '',
    body.before,
    step.each(body.value, item, names),
    `} return ${step.after(names)};`,
  ].join(' ');
  return call({ names, list, method, loop, plain: emit(callback), given: '', values: '' });
}

function toReduce(
  { callback, initial, list }: { callback: Node; initial: Node; list: Node },
  emitter: Emitter,
): string | undefined {
  const [sum, pattern, index, ...more] = callback.params!;
  const binding = pattern && toBinding(pattern, emitter);
  if (!binding || sum?.type !== 'Identifier' || more.length > 0 || (index && index.type !== 'Identifier'))
    return undefined;
  const { name, emit } = emitter;
  const names: Names = { list: name('list'), kind: name('kind'), at: name('at'), made: name('made') };
  const [source, item, value, first] = [name('source'), name('item'), name('value'), name('first')];
  const { at, made } = names;
  const body = toBody(callback, value, emitter);
  if (body === undefined) return undefined;
  const loop = [
    `const ${source} = ${METER}.source(${names.list}, ${names.kind}); let ${made} = ${first};`,
    binding.before,
    `for (let ${at} = 0; ${at} < ${source}.length; ${at}++) { const ${item} = ${source}[${at}];`,
    `if (${item} === undefined && !(${at} in ${source})) continue;`,
    `let ${sum.name} = ${made};`,
    binding.each(item),
    index ? `let ${index.name} = ${at};` : '',
    body.before,
    `${made} = ${body.value};`,
    `} return ${made};`,
  ].join(' ');
  return call({
    names,
    list: emit(list),
    method: 'reduce',
    loop,
    plain: `${emit(callback)}, ${first}`,
    given: `, ${first}`,
    values: `, ${emit(initial)}`,
  });
}

interface Call {
  names: Names;
  list: string;
  method: string;
  loop: string;
  /** The arguments of the method. */
  plain: string;
  given: string;
  values: string;
}

/** The callback is outside of the names of the loop, where the method is called as it is. */
function call({ names: { list: value, kind }, list, method, loop, plain, given, values }: Call): string {
  return `((${value}${given}) => { let ${SUM}; const ${kind} = ${METER}.kindOf(${value}, '${method}'); if (${kind} === undefined) return ${value}.${method}(${plain.replaceAll(SUM, OUTER_SUM)}); ${loop} })(${list}${values})`;
}

/** A callback that can be a block: no function that is awaited, and none with a `this` of its own. */
function isPlain(callback: Node): boolean {
  const { type, async: isAsync, generator, id, body, params = [] } = callback;
  if (isAsync === true || generator === true || params.length === 0) return false;
  if (type === 'ArrowFunctionExpression') return true;
  return type === 'FunctionExpression' && !id && !hasType(body as Node, OWN_FUNCTION) && !usesArguments(body as Node);
}

function usesArguments(node: Node): boolean {
  return (
    (node.type === 'Identifier' && node.name === 'arguments') || listParts(node).some((part) => usesArguments(part))
  );
}

/** The statements of a callback, and the expression that is its result. */
function toBody(
  { body, expression }: Node,
  value: string,
  { code, emit, name }: Emitter,
): { before: string; value: string } | undefined {
  const block = body as Node;
  if (expression === true) return { before: '', value: `(${emit(block)})` };
  // They are variables of the function, not of a block.
  if (hasVar(block)) return undefined;
  const label = name('body');
  const emitReturn = (node: Node): string => {
    if (FUNCTIONS.has(node.type)) return emit(node);
    if (node.type !== 'ReturnStatement')
      return hasReturn(node) ? emitParts(node, { code, emit: emitReturn }) : emit(node);
    return `{ ${value} = ${node.argument ? `(${emit(node.argument)})` : 'undefined'}; break ${label}; }`;
  };
  return { before: `let ${value}; ${label}: ${emitReturn(block)}`, value };
}

function hasReturn(node: Node): boolean {
  if (FUNCTIONS.has(node.type)) return false;
  return node.type === 'ReturnStatement' || listParts(node).some((part) => hasReturn(part));
}

function hasVar(node: Node): boolean {
  if (node.type === 'VariableDeclaration' && node.kind === 'var') return true;
  return !FUNCTIONS.has(node.type) && listParts(node).some((part) => hasVar(part));
}
