import type { Plugin } from 'rolldown';
import { parseAst } from 'rolldown/parseAst';
import { applyEdits, isFunction, visit, type Edit, type Node } from '../syntax.ts';

/** The mark around a schema at the top level of a module. `lazyBundle` removes it. */
export const SCHEMA_MARK = '__schema__';

/**
 * Marks every call on zod's `z` as free of side effects, so that a bundle contains only the schemas that parse
 * something. Creating a schema takes time at every start, and most of them exist for their types and for the manual.
 * The others are created on first use: see {@link SCHEMA_MARK}.
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
    // Derived from another schema, such as `receiptSchema.extend(…)`.
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

/** The first name of a chain of calls and members. */
function toRoot(node: Node): string | undefined {
  let at = node;
  for (;;) {
    if (at.type === 'CallExpression') at = at['callee'] as Node;
    else if (at.type === 'MemberExpression') at = at['object'] as Node;
    else return at.type === 'Identifier' ? (at['name'] as string) : undefined;
  }
}
