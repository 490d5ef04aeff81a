import type { Plugin } from 'rolldown';
import { parseAst } from 'rolldown/parseAst';
import { LATE_NAMES } from './late-parts.ts';
import { SCHEMA_MARK } from './pure-schemas.ts';
import { applyEdits, countDeclarations, isFunction, isReference, visit, type Edit, type Node } from '../syntax.ts';

/**
 * Defers work that a start may not need to its first use: loading another file of the bundle or a module of Node, and
 * creating a schema. Neither has side effects on which other code depends.
 */
export const lazyBundle: Plugin = {
  name: 'lazy-bundle',
  renderChunk(code) {
    const program = parseAst(code, { lang: 'js' }) as unknown as Node;
    const lazy = findLazy(program, code);
    return applyEdits(code, [
      ...toUses(program, lazy),
      ...toDeclarations(lazy, code),
      ...toMarksLeft(program, lazy),
      ...toUnusedParts(program),
    ]);
  },
  generateBundle(_, bundle) {
    for (const chunk of Object.values(bundle)) if (chunk.type === 'chunk') chunk.code = toAscii(chunk.code);
  },
};

/** A constant of a file whose value is created on first use. */
interface Lazy {
  statement: Node;
  init: Node;
  /** The expression that creates it. */
  value: { start: number; end: number };
  /** The next statement, `x = toESM(x)`, which gives a module of Node its default export. */
  interop?: Node;
}

/** `const x = require('y')`, and each named schema. A name that is declared twice stays unchanged. */
function findLazy(program: Node, code: string): Map<string, Lazy> {
  const found = new Map<string, Lazy>();
  const counts = countDeclarations(program);
  const body = program['body'] as Node[];
  for (const [at, statement] of body.entries()) {
    const [declarator, ...others] = (statement['declarations'] ?? []) as Node[];
    const init = declarator?.['init'] as Node | undefined;
    const name = (declarator?.['id'] as Node | undefined)?.['name'] as string | undefined;
    if (others.length > 0 || !init || name === undefined || counts.get(name) !== 1) continue;
    if (isMarked(init)) found.set(name, { statement, init, value: toMarked(init) });
    // Every file needs the runtime.
    else if (isCall(init, 'require') && !code.slice(init.start, init.end).includes('rolldown-runtime'))
      found.set(name, { statement, init, value: init, interop: toInterop(body[at + 1], name) });
  }
  // CommonJS of other packages is wrapped: its name is reassigned.
  visit(program, (node, [parent, statement]) => {
    if (node.type !== 'Identifier' || parent?.type !== 'AssignmentExpression' || parent['left'] !== node) return;
    const name = node['name'] as string;
    if (statement !== found.get(name)?.interop) found.delete(name);
  });
  return found;
}

function toInterop(next: Node | undefined, name: string): Node | undefined {
  const assigned = next?.['expression'] as Node | undefined;
  const isInterop =
    assigned?.type === 'AssignmentExpression' &&
    (assigned['left'] as Node)['name'] === name &&
    (((assigned['right'] as Node)['arguments'] ?? []) as Node[])[0]?.['name'] === name;
  return isInterop ? next : undefined;
}

function toDeclarations(lazy: ReadonlyMap<string, Lazy>, code: string): Edit[] {
  return [...lazy].flatMap(([name, { statement, value, interop }]): Edit[] => {
    const start = `let ${name}$made; const ${name} = () => ${name}$made ??= `;
    if (interop === undefined) {
      return [
        { start: statement.start, end: value.start, text: start },
        { start: value.end, end: statement.end, text: ';' },
      ];
    }
    const call = (interop['expression'] as Node)['right'] as Node;
    const [given] = call['arguments'] as [Node];
    const made =
      code.slice(call.start, given.start) + code.slice(value.start, value.end) + code.slice(given.end, call.end);
    return [{ start: statement.start, end: interop.end, text: `${start}${made};` }];
  });
}

/** `require('./part.cjs')` without a name: the bundler keeps it only for side effects, which late parts do not have. */
function toUnusedParts(program: Node): Edit[] {
  return (program['body'] as Node[]).flatMap((statement): Edit[] => {
    const call = statement['expression'] as Node | undefined;
    if (!call || !isCall(call, 'require')) return [];
    const name = /^\.\/(\w+)-/.exec(String((call['arguments'] as Node[])[0]?.['value']))?.[1];
    if (name === undefined || !LATE_NAMES.includes(name)) return [];
    return [{ start: statement.start, end: statement.end, text: '' }];
  });
}

/** Properties with a schema that may never be used: of a tool, and of a setting. */
const HOLDERS: ReadonlySet<unknown> = new Set(['input', 'schema']);

function toUses(program: Node, lazy: ReadonlyMap<string, Lazy>): Edit[] {
  const edits: Edit[] = [];
  visit(program, (node, parents) => {
    const [parent] = parents;
    const name = node['name'] as string;
    if (node.type !== 'Identifier' || !parent || !lazy.has(name) || !isReference(node, parent)) return;
    if (parent.type === 'VariableDeclarator' && parent['id'] === node) return;
    if (parents.some((above) => above === lazy.get(name)?.interop)) return;
    // In brackets, because `new x().y()` means something else.
    const use = `(${name}())`;
    if (parent.type !== 'Property' || parents[1]?.type !== 'ObjectExpression') {
      edits.push({ start: node.start, end: node.end, text: use });
      return;
    }
    if (parent['shorthand'] === true && parent['key'] === node && parent['value'] !== node) return;
    const isHeld = parent['computed'] !== true && HOLDERS.has((parent['key'] as Node)['name']);
    const key = (parent['key'] as Node)['name'] as string;
    if (isHeld) edits.push({ start: parent.start, end: parent.end, text: `get ${key}() { return ${use}; }` });
    else if (parent['shorthand'] === true) edits.push({ start: node.start, end: node.end, text: `${name}: ${use}` });
    else edits.push({ start: node.start, end: node.end, text: use });
  });
  return edits;
}

/** Schemas without a name: in a property, or inline. */
function toMarksLeft(program: Node, lazy: ReadonlyMap<string, Lazy>): Edit[] {
  const edits: Edit[] = [];
  const named = new Set([...lazy.values()].map(({ init }) => init));
  visit(program, (node, parents) => {
    if (!isMarked(node) || named.has(node)) return;
    const [parent] = parents;
    const { start, end } = toMarked(node);
    const key = parent?.type === 'Property' && !parent['computed'] ? (parent['key'] as Node)['name'] : undefined;
    const isHeld = parent !== undefined && HOLDERS.has(key) && !parents.some(isFunction);
    const [before, after] = isHeld ? toGetter(String(key)) : ['(', ')'];
    const from = isHeld ? parent.start : node.start;
    edits.push({ start: from, end: start, text: before }, { start: end, end: node.end, text: after });
  });
  return edits;
}

/** Around a schema, for a property that holds the schema from its first use on. */
function toGetter(key: string): [before: string, after: string] {
  const hold = `Reflect.defineProperty(this, '${key}', { value: made, enumerable: true, configurable: true })`;
  return [`get ${key}() { const made = `, `; ${hold}; return made; }`];
}

function isMarked(node: Node): boolean {
  return isCall(node, SCHEMA_MARK);
}

/** The content of the mark. */
function toMarked(node: Node): Node {
  const [made] = node['arguments'] as Node[];
  return made!['body'] as Node;
}

function isCall(node: Node, name: string): boolean {
  const callee = node['callee'] as Node | undefined;
  return node.type === 'CallExpression' && callee?.type === 'Identifier' && callee['name'] === name;
}

/** A text with one byte per character is read and compiled faster. */
function toAscii(code: string): string {
  return code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
