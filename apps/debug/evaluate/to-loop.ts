import type { Node } from 'acorn';

interface Parts {
  callee: Node & { object: Node; property: Node & { name: string }; computed: boolean; optional: boolean };
  arguments: (Node & { params: (Node & { name: string })[]; body: Node; async: boolean; expression: boolean })[];
  optional: boolean;
}

interface Step {
  before: string;
  /** `value` is the callback's result, `item` the element. */
  each: (value: string, item: string) => string;
  after: string;
}

/** What each method does in a loop. `r` is its result, `i` the index. */
const METHODS: Readonly<Record<string, Step>> = {
  filter: { before: 'const r = [];', each: (value, item) => `if (${value}) r[r.length] = ${item};`, after: 'r' },
  map: { before: 'const r = [];', each: (value) => `r[i] = ${value};`, after: 'r' },
  find: { before: '', each: (value, item) => `if (${value}) return ${item};`, after: 'undefined' },
  findIndex: { before: '', each: (value) => `if (${value}) return i;`, after: '-1' },
  some: { before: '', each: (value) => `if (${value}) return true;`, after: 'false' },
  every: { before: '', each: (value) => `if (!${value}) return false;`, after: 'true' },
};
let count = 0;

/**
 * `list.filter((item) => …)` as a loop, for a list without a class of its own; anything else is called as it is.
 *
 * @returns Undefined for a node of another form.
 */
export function toLoop(node: Node, emit: (node: Node) => string, meter: string): string | undefined {
  if (node.type !== 'CallExpression') return undefined;
  const { callee, arguments: given, optional } = node as Node & Parts;
  const [arrow] = given;
  if (callee.type !== 'MemberExpression' || callee.computed || callee.optional || optional) return undefined;
  const method = callee.property.name;
  const step = Object.hasOwn(METHODS, method) ? METHODS[method] : undefined;
  if (!step || given.length !== 1 || arrow?.type !== 'ArrowFunctionExpression') return undefined;
  const { params, body, async: isAsync, expression } = arrow;
  const isSimple = params.length >= 1 && params.length <= 2 && params.every(({ type }) => type === 'Identifier');
  if (isAsync || !expression || !isSimple || callee.object.type === 'Super') return undefined;
  const list = `__list${++count}`;
  const at = `__at${count}`;
  const [item, index] = params.map(({ name }) => name);
  const value = emit(body);
  const names = (text: string): string => text.replaceAll(/\br\b/g, `__made${count}`).replaceAll(/\bi\b/g, at);
  const loop = [
    names(step.before),
    `for (let ${at} = 0; ${at} < ${list}.length; ${at}++) {`,
    `let ${item} = ${list}[${at}];`,
    index === undefined ? '' : `let ${index} = ${at};`,
    // Empty elements are left out, except by `find`.
    method.startsWith('find') ? '' : `if (${item} === undefined && !(${at} in ${list})) continue;`,
    names(step.each('\u0000', `${list}[i]`)).replace('\u0000', () => `(${value})`),
    `} return ${names(step.after)};`,
  ];
  const plain = `${list}.${method}(${emit(arrow)})`;
  return `((${list}) => { if (!${meter}.isPlain(${list}, '${method}')) return ${plain}; ${loop.join(' ')} })(${emit(callee.object)})`;
}
