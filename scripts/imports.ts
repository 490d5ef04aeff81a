import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Visitor, parseSync } from 'rolldown/utils';

export interface ImportSite {
  /** Null when the specifier is computed at run time. */
  specifier: string | null;
  /** From 1. */
  line: number;
}

const SOURCE = /\.[cm]?[jt]sx?$/;
/** Folders of installed and built files. */
export const SKIPPED = new Set(['node_modules', 'dist', '.git', '.types', 'coverage']);
/** Code that Klaus copies or reads, and never imports. */
const DATA = new Set(['apps/cli/demo/project', 'scripts/fixtures']);

/** Source files below `root`, relative, with forward slashes. Installed and generated files are excluded. */
export function listSources(root: string, below = ''): string[] {
  return readdirSync(join(root, below), { withFileTypes: true }).flatMap((entry) => {
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (DATA.has(path)) return [];
    if (entry.isDirectory()) return SKIPPED.has(entry.name) ? [] : listSources(root, path);
    return SOURCE.test(entry.name) ? [path] : [];
  });
}

/**
 * Every import in a file: static, dynamic, type-only, re-export, `import('x').Y`, `require` and
 * `/// <reference>`.
 *
 * @throws Error if the file does not parse, because its imports are unknown.
 */
export function readImports(file: string): ImportSite[] {
  const text = readFileSync(file, 'utf8');
  const { program, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file} does not parse: ${errors[0]?.message}`);
  const sites: ImportSite[] = [];
  const add = (source: unknown, start: number) =>
    sites.push({ specifier: toText(source), line: text.slice(0, start).split('\n').length });
  new Visitor({
    ImportDeclaration: (node) => void add(node.source, node.start),
    ExportNamedDeclaration: (node) => void (node.source && add(node.source, node.start)),
    ExportAllDeclaration: (node) => void add(node.source, node.start),
    ImportExpression: (node) => void add(node.source, node.start),
    TSImportType: (node) => void add(node.source, node.start),
    TSExternalModuleReference: (node) => void add(node.expression, node.start),
    CallExpression: (node) => {
      if (node.callee.type === 'Identifier' && node.callee.name === 'require') add(node.arguments[0], node.start);
    },
  }).visit(program);
  for (const match of text.matchAll(/^\/\/\/\s*<reference\s+(types|path)=["']([^"']+)["']/gm)) {
    const specifier = match[1] === 'types' && match[2] === 'node' ? 'node:module' : (match[2] ?? null);
    sites.push({ specifier, line: text.slice(0, match.index).split('\n').length });
  }
  return sites;
}

/** The text of a literal or of a template without expressions. */
function toText(node: unknown): string | null {
  if (typeof node !== 'object' || node === null) return null;
  if ('value' in node && typeof node.value === 'string') return node.value;
  if (!('quasis' in node) || !Array.isArray(node.quasis) || node.quasis.length !== 1) return null;
  const quasi: { value: { cooked: string } } = node.quasis[0];
  return quasi.value.cooked;
}
