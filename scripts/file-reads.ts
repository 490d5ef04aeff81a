import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync, Visitor } from 'rolldown/utils';
import { listSources } from './imports.ts';

/** Folders whose programs meet files of others: Git data and workspaces. */
const FOLDERS =
  /^(?:core|sdk|adapters\/(?:format|lsp|mcp|sandboxes|system|tools|workspace)|apps\/(?:acp|claude-code|cli|server|terminal))\//;
const TESTS = /\.(?:test|fixture)\.[cm]?tsx?$|\/fixtures\//;
const MODULES = new Set(['node:fs', 'node:fs/promises', 'fs', 'fs/promises']);
/** Functions that open a file to read it. */
const OPENING = new Set(
  ['readFile', 'open', 'copyFile', 'cp']
    .flatMap((name) => [name, `${name}Sync`])
    .concat('createReadStream', 'openAsBlob'),
);

/** Files below `root` that open files with a function of Node, with the number of places. */
export function findFileReads(root: string): Record<string, number> {
  const found: Record<string, number> = {};
  for (const path of listSources(root)) {
    if (!FOLDERS.test(path) || TESTS.test(path)) continue;
    const count = countReads(join(root, path));
    if (count > 0) found[path] = count;
  }
  return found;
}

function countReads(file: string): number {
  const names = new Set<string>();
  const spaces = new Set<string>();
  let count = 0;
  const { program } = parseSync(file, readFileSync(file, 'utf8'));
  new Visitor({
    ImportDeclaration: ({ source, specifiers }) => {
      if (!MODULES.has(source.value)) return;
      for (const { type, local, ...rest } of specifiers) {
        if (type !== 'ImportSpecifier') spaces.add(local.name);
        else if ('imported' in rest && 'name' in rest.imported && OPENING.has(rest.imported.name))
          names.add(local.name);
      }
    },
  }).visit(program);
  new Visitor({
    CallExpression: ({ callee }) => {
      if (callee.type === 'Identifier' && names.has(callee.name)) count++;
      if (callee.type !== 'MemberExpression' || callee.object.type !== 'Identifier') return;
      if (!spaces.has(callee.object.name) || callee.property.type !== 'Identifier') return;
      if (OPENING.has(callee.property.name)) count++;
    },
  }).visit(program);
  return count;
}
