import type { Plugin } from 'rolldown';
import { parseAst } from 'rolldown/parseAst';

interface Node {
  type: string;
  start: number;
  end: number;
  [key: string]: unknown;
}

/**
 * Marks every call on zod's `z` as free of side effects, so that a bundle holds only the schemas by which something
 * is parsed. Making one takes time at every start, and most of them are there for their types and for the manual.
 */
export const pureSchemas: Plugin = {
  name: 'pure-schemas',
  transform(code, id) {
    if (id.includes('node_modules') || !/from 'zod'/.test(code)) return null;
    const calls: Node[] = [];
    visit(parseAst(code, { lang: 'ts' }, id) as unknown as Node, (node) => {
      if (node.type === 'CallExpression' && toRoot(node) === 'z') calls.push(node);
    });
    const marks = calls.flatMap(({ start, end }) => [
      { at: start, text: '(/*@__PURE__*/ ' },
      { at: end, text: ')' },
    ]);
    marks.sort((a, b) => b.at - a.at);
    let marked = code;
    for (const { at, text } of marks) marked = marked.slice(0, at) + text + marked.slice(at);
    return marked;
  },
};

/** The name that a chain of calls and members begins with. */
function toRoot(node: Node): string | undefined {
  let at = node;
  for (;;) {
    if (at.type === 'CallExpression') at = at['callee'] as Node;
    else if (at.type === 'MemberExpression') at = at['object'] as Node;
    else return at.type === 'Identifier' ? (at['name'] as string) : undefined;
  }
}

function visit(node: Node, look: (node: Node) => void): void {
  look(node);
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) visit(child, look);
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';
}
