import type { Plugin } from 'rolldown';
import { parseAst } from 'rolldown/parseAst';
import { applyEdits, isFunction, visit, type Edit, type Node } from './syntax.ts';

/** The mark around a schema that stands at the top of a module. `lazyBundle` takes it away. */
export const SCHEMA_MARK = '__schema__';

/**
 * Marks every call on zod's `z` as free of side effects, so that a bundle holds only the schemas by which something
 * is parsed. Making one takes time at every start, and most of them are there for their types and for the manual. What
 * is left is made when it is first needed: see {@link SCHEMA_MARK}.
 */
export const pureSchemas: Plugin = {
  name: 'pure-schemas',
  transform(code, id) {
    if (id.includes('node_modules') || !/from 'zod'/.test(code)) return null;
    return applyEdits(code, toMarks(parseAst(code, { lang: 'ts' }, id) as unknown as Node));
  },
};

function toMarks(program: Node): Edit[] {
  const edits: Edit[] = [];
  visit(program, (node, parents) => {
    if (node.type !== 'CallExpression') return;
    const root = toRoot(node);
    // Made from another schema, as `receiptSchema.extend(…)`.
    const isDerived = root?.endsWith('Schema') === true && parents[0]?.type === 'VariableDeclarator';
    if (root !== 'z' && !isDerived) return;
    const isInner = parents.some(
      (parent) => isFunction(parent) || (parent.type === 'CallExpression' && toRoot(parent) === root),
    );
    if (isInner && isDerived) return;
    const before = isInner ? '(/*@__PURE__*/ ' : `/*@__PURE__*/ ${SCHEMA_MARK}(() => `;
    edits.push({ start: node.start, end: node.start, text: before });
    edits.push({ start: node.end, end: node.end, text: ')' });
  });
  return edits;
}

/** The name that a chain of calls and members begins with. */
function toRoot(node: Node): string | undefined {
  let at = node;
  for (;;) {
    if (at.type === 'CallExpression') at = at['callee'] as Node;
    else if (at.type === 'MemberExpression') at = at['object'] as Node;
    else return at.type === 'Identifier' ? (at['name'] as string) : undefined;
  }
}
