import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { Visitor, parseSync } from 'rolldown/utils';
import { applyEdits, type Edit } from '../syntax.ts';

/** Source files by the specifier that names them, relative to the repository: `@klaus/core/agent`. */
export type OwnModules = ReadonlyMap<string, string>;

/** @param folders Of packages, relative to `root`. */
export function findOwnModules(root: string, folders: readonly string[]): OwnModules {
  return new Map(
    folders.flatMap((folder) => {
      const text = readFileSync(join(root, folder, 'package.json'), 'utf8');
      const { name, exports = {} } = JSON.parse(text) as { name: string; exports?: Record<string, string> };
      return Object.entries(exports).map(
        ([key, path]) => [posix.join(name, key), posix.join(folder, path)] as [string, string],
      );
    }),
  );
}

interface CopyOptions {
  /** Where the compiler put the declarations, in the tree of the sources. */
  from: string;
  to: string;
  modules: OwnModules;
}

/**
 * Copies the declarations that the entries reach, with relative paths instead of our own package names, which are not
 * on the registry.
 *
 * @param entries Source files, relative to the repository.
 * @returns Third-party packages in the declarations.
 */
export function copyDeclarations(entries: readonly string[], { from, to, modules }: CopyOptions): Set<string> {
  const packages = new Set<string>();
  const reached = new Set<string>();
  const open = entries.map(toDeclaration);
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (reached.has(file)) continue;
    reached.add(file);
    const text = readFileSync(join(from, file), 'utf8');
    const edits: Edit[] = [];
    for (const { specifier, start, end } of readSpecifiers(file, text)) {
      const own = specifier.startsWith('.') ? posix.join(posix.dirname(file), specifier) : modules.get(specifier);
      if (own === undefined) {
        packages.add(specifier);
        continue;
      }
      open.push(toDeclaration(own));
      edits.push({ start, end, text: `'${toRelative(file, own).replace(/\.ts$/, '.js')}'` });
    }
    // Since TypeScript 6, no types are included automatically.
    const head = entries.map(toDeclaration).includes(file) ? '/// <reference types="node" />\n' : '';
    mkdirSync(dirname(join(to, file)), { recursive: true });
    writeFileSync(join(to, file), head + applyEdits(text, edits));
  }
  return packages;
}

function toDeclaration(source: string): string {
  return source.replace(/\.ts$/, '.d.ts');
}

function toRelative(from: string, to: string): string {
  const path = posix.relative(posix.dirname(from), to);
  return path.startsWith('.') ? path : `./${path}`;
}

/** @throws Error for a file that does not parse. */
function readSpecifiers(file: string, text: string) {
  const { program, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file} does not parse: ${errors[0]?.message}`);
  const found: { specifier: string; start: number; end: number }[] = [];
  const add = ({ value, start, end }: { value: string; start: number; end: number }) =>
    void found.push({ specifier: value, start, end });
  new Visitor({
    ImportDeclaration: ({ source }) => add(source),
    ExportNamedDeclaration: ({ source }) => void (source && add(source)),
    ExportAllDeclaration: ({ source }) => add(source),
    TSImportType: ({ source }) => add(source),
  }).visit(program);
  return found;
}
