import { parse, type Node } from 'acorn';

/** Variables of a realm that {@link meterCode} names. */
export const METERS = `((most) => {
  const check = (value) => {
    if (typeof value === 'string' && value.length > most) throw new RangeError('Evaluated code cannot make a text of ' + value.length + ' characters.');
    return value;
  };
  const bits = (value) => {
    if (typeof value === 'bigint' && (value > 1000000n || value < -1000000n)) throw new RangeError('Evaluated code cannot make a BigInt of this size.');
    return value;
  };
  const list = (value) => {
    const size = typeof value === 'string' || Array.isArray(value) || ArrayBuffer.isView(value) ? value.length : 0;
    if (size > most) throw new RangeError('Evaluated code cannot make a list of ' + size + ' elements.');
    return value;
  };
  return { check, bits, list };
})`;

/** Bound in a realm under this name: the functions of {@link METERS}. */
export const METER = '__klendathu';

interface Insertion {
  at: number;
  text: string;
  /** Of insertions at one place, those of outer nodes are outside. */
  depth: number;
}

/**
 * Code in which each operator that can make a huge value is checked: `+`, `+=` and templates make texts, `**` and `<<`
 * integers, spreading lists. Single calls are checked by the functions themselves.
 *
 * @returns Undefined for code that cannot be parsed here.
 */
export function meterCode(code: string): string | undefined {
  let root: Node;
  try {
    root = parse(code, {
      ecmaVersion: 'latest',
      allowReturnOutsideFunction: true,
      allowAwaitOutsideFunction: true,
      allowSuperOutsideMethod: false,
    });
  } catch {
    return undefined;
  }
  const insertions: Insertion[] = [];
  visit(root, insertions, 0);
  let metered = '';
  let at = 0;
  for (const insertion of insertions.toSorted((a, b) => a.at - b.at || order(a) - order(b))) {
    metered += code.slice(at, insertion.at) + insertion.text;
    at = insertion.at;
  }
  return metered + code.slice(at);
}

/** Ends come before beginnings; inner ends and outer beginnings first. */
function order({ text, depth }: Insertion): number {
  return text.startsWith(')') ? -depth : 1e6 + depth;
}

function visit(node: Node, insertions: Insertion[], depth: number): void {
  const wrap = ({ start, end }: Node, name: string): void => {
    insertions.push({ at: start, text: `${METER}.${name}(`, depth }, { at: end, text: ')', depth });
  };
  const { type, operator } = node as Node & { operator?: string };
  if (type === 'BinaryExpression' && operator === '+') wrap(node, 'check');
  if (type === 'AssignmentExpression' && operator === '+=') wrap(node, 'check');
  if (type === 'TemplateLiteral') wrap(node, 'check');
  if (operator === '**' || operator === '<<' || operator === '**=' || operator === '<<=')
    wrap((node as Node & { right: Node }).right, 'bits');
  if (type === 'SpreadElement') wrap((node as Node & { argument: Node }).argument, 'list');
  for (const [key, child] of Object.entries(node)) {
    // The template of a tag is no text.
    if (type === 'TaggedTemplateExpression' && key === 'quasi') {
      for (const inner of (child as { expressions: Node[] }).expressions) visit(inner, insertions, depth + 1);
      continue;
    }
    for (const inner of Array.isArray(child) ? (child as unknown[]) : [child])
      if (isNode(inner)) visit(inner, insertions, depth + 1);
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string';
}
