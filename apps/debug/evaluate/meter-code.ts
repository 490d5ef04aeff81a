import { parse, type Node } from 'acorn';
import { toLoop } from './to-loop.ts';

/** Variables of a realm that {@link meterCode} names. Gets the limit, and the prototype of lists of the program. */
export const METERS = `((most, hostPrototype) => {
  const { isArray } = Array, { isView } = ArrayBuffer, { getPrototypeOf, hasOwn } = Object, ownPrototype = Array.prototype;
  const check = (value) => {
    if (typeof value === 'string' && value.length > most) throw new RangeError('Evaluated code cannot make a text of ' + value.length + ' characters.');
    return value;
  };
  const bits = (value) => {
    if (typeof value === 'bigint' && (value > 1000000n || value < -1000000n)) throw new RangeError('Evaluated code cannot make a BigInt of this size.');
    return value;
  };
  const list = (value) => {
    const size = typeof value === 'string' || isArray(value) || isView(value) ? value.length : 0;
    if (size > most) throw new RangeError('Evaluated code cannot make a list of ' + size + ' elements.');
    return value;
  };
  const isPlain = (value, method) => {
    if (!isArray(value) || value.length > most || hasOwn(value, method)) return false;
    const prototype = getPrototypeOf(value);
    return prototype === hostPrototype || prototype === ownPrototype;
  };
  return { check, bits, list, isPlain };
})`;

/** Bound in a realm under this name: the functions of {@link METERS}. */
export const METER = '__klendathu';

/**
 * Code in which each operator that can make a huge value is checked: `+`, `+=` and templates make texts, `**` and `<<`
 * integers, spreading lists. Single calls are checked by the functions themselves. Callbacks of the methods of lists
 * become loops: V8's check makes each call of a function take tens of microseconds.
 *
 * @returns Undefined for code that cannot be parsed here.
 */
export function meterCode(code: string): string | undefined {
  let root: Node;
  try {
    root = parse(code, { ecmaVersion: 'latest', allowReturnOutsideFunction: true, allowAwaitOutsideFunction: true });
  } catch {
    return undefined;
  }
  const emit = (node: Node): string => {
    const loop = toLoop(node, emit, METER);
    return loop ?? wrap(node, emitParts(node, { code, emit }));
  };
  return emitParts(root, { code, emit });
}

/** The text of a node, with its parts as `emit` gives them. */
function emitParts(node: Node, { code, emit }: { code: string; emit: (node: Node) => string }): string {
  let text = '';
  let at = node.start;
  for (const part of listParts(node).toSorted((a, b) => a.start - b.start)) {
    // A name that is both the key and the value of a property.
    if (part.start < at) continue;
    text += code.slice(at, part.start) + (isQuasi(node, part) ? emitParts(part, { code, emit }) : emit(part));
    at = part.end;
  }
  return text + code.slice(at, node.end);
}

/** The template of a tag is no text. */
function isQuasi({ type }: Node, part: Node): boolean {
  return type === 'TaggedTemplateExpression' && part.type === 'TemplateLiteral';
}

function listParts(node: Node): Node[] {
  return Object.values(node)
    .flatMap((child: unknown) => child)
    .filter((child) => isNode(child));
}

function wrap(node: Node, text: string): string {
  const { type, operator = '' } = node as Node & { operator?: string };
  const isText =
    type === 'TemplateLiteral' ||
    (type === 'BinaryExpression' && operator === '+') ||
    (type === 'AssignmentExpression' && operator === '+=');
  if (isText) return `${METER}.check(${text})`;
  if (type === 'SpreadElement') return `...${METER}.list(${text.slice('...'.length)})`;
  if (/^(?:\*\*|<<)=?$/.test(operator)) {
    const { left } = node as Node & { left: Node };
    const head = text.indexOf(operator, left.end - node.start) + operator.length;
    return `${text.slice(0, head)} ${METER}.bits(${text.slice(head)})`;
  }
  return text;
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string';
}
