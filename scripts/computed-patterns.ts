import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync, Visitor } from 'rolldown/utils';
import { listSources } from './imports.ts';

/** Folders whose programs meet text of others. */
const FOLDERS = /^(?:core|adapters|sdk|apps)\//;
const TESTS = /\.(?:test|fixture)\.[cm]?tsx?$|\/fixtures\//;
/** Methods that compile a string as an expression. */
const COMPILING = new Set(['match', 'matchAll', 'search']);

/** Files below `root` that compile an expression from a text that is no literal, with the number of places. */
export function findComputedPatterns(root: string): Record<string, number> {
  const found: Record<string, number> = {};
  for (const path of listSources(root)) {
    if (!FOLDERS.test(path) || TESTS.test(path)) continue;
    const count = countComputed(join(root, path));
    if (count > 0) found[path] = count;
  }
  return found;
}

function countComputed(file: string): number {
  let count = 0;
  const visitCall = (callee: object, [first]: readonly object[]): void => {
    if ('name' in callee && callee.name === 'RegExp' && !isLiteral(first)) count++;
  };
  new Visitor({
    NewExpression: (node) => visitCall(node.callee, node.arguments),
    CallExpression: ({ callee, arguments: given }) => {
      visitCall(callee, given);
      const isMethod = callee.type === 'MemberExpression' && callee.property.type === 'Identifier';
      if (!isMethod || !COMPILING.has((callee.property as { name: string }).name) || given.length !== 1) return;
      // Upper case: a constant of the file, which is an expression. Anything else can be a text.
      const [argument] = given;
      if (argument?.type === 'TemplateLiteral' || (argument?.type === 'Literal' && !('regex' in argument))) count++;
    },
  }).visit(parseSync(file, readFileSync(file, 'utf8')).program);
  return count;
}

function isLiteral(node: object | undefined): boolean {
  return node === undefined || ('type' in node && node.type === 'Literal');
}

/** Files below `root` that use Ajv without an engine for patterns. */
export function findOpenValidators(root: string): string[] {
  return listSources(root).filter((path) => {
    if (!FOLDERS.test(path) || TESTS.test(path)) return false;
    const text = readFileSync(join(root, path), 'utf8');
    const validates = /from 'ajv|import\('ajv|validators\/(?:ajv|cf)|fromJSONSchema|fromJsonSchema/.test(text);
    return validates && !text.includes('regExp:');
  });
}
