import { parse, type Node as AcornNode } from 'acorn';
import { METER, OUTER_SUM, SUM } from './meters.ts';
import { emitParts, hasType, type Emitter, type Node } from './node.ts';
import { toForLoop, toList, toSpread } from './to-list.ts';
import { toLoop } from './to-loop.ts';

/** It could catch what asks for the elements of a Map. */
const CATCHES = new Set(['TryStatement']);
/** Loops in each other: the text of each is there twice. */
const DEEPEST = 5;

/**
 * Code in which each operator that can make a huge value is checked: `+`, `+=` and templates make texts, `**` and `<<`
 * integers, spreading lists. Single calls are checked by the functions themselves. Callbacks of the methods of lists and
 * iterations become loops by index: V8's check makes each call of a function take tens of microseconds.
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
    }) as AcornNode as Node;
  } catch {
    return undefined;
  }
  let count = 0;
  let depth = 0;
  const iterates = !hasType(root, CATCHES);
  const emit = (node: Node): string => {
    if (depth < DEEPEST) {
      depth++;
      const loop =
        toLoop(node, emitter) ?? (iterates ? (toList(node, emitter) ?? toForLoop(node, emitter)) : undefined);
      depth--;
      if (loop !== undefined) return loop;
    }
    if (node.type === 'SpreadElement' && iterates) return toSpread(node, emitter);
    const parts = { LabeledStatement: emitLabeled, ObjectExpression: emitProperty }[node.type] ?? emit;
    return wrap(node, emitParts(node, { code, emit: parts }));
  };
  /** `continue` of a label needs the loop itself. */
  const emitLabeled = (node: Node): string =>
    node.type === 'ForOfStatement' ? emitParts(node, { code, emit }) : emit(node);
  /** `{ ...map }` copies properties. */
  const emitProperty = (node: Node): string =>
    node.type === 'SpreadElement' ? emitParts(node, { code, emit }) : emit(node);
  const emitter: Emitter = { code, emit, name: (prefix) => `__${prefix}${++count}` };
  return `let ${SUM}, ${OUTER_SUM}; ${emitParts(root, { code, emit })}`;
}

function wrap(node: Node, text: string): string {
  const { type, operator = '' } = node;
  const isText =
    type === 'TemplateLiteral' ||
    (type === 'BinaryExpression' && operator === '+') ||
    (type === 'AssignmentExpression' && operator === '+=');
  // A call for each sum would be slow.
  if (isText)
    return `(${SUM} = ${text}, typeof ${SUM} === 'string' && ${SUM}.length > 10000 ? ${METER}.check(${SUM}) : ${SUM})`;
  if (type === 'SpreadElement') return `...${METER}.list(${text.slice('...'.length)})`;
  if (/^(?:\*\*|<<)=?$/.test(operator)) {
    const head = text.indexOf(operator, node.left!.end - node.start) + operator.length;
    return `${text.slice(0, head)} ${METER}.bits(${text.slice(head)})`;
  }
  return text;
}
