import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { parseSync } from 'rolldown/utils';
import { findOwnModules, type OwnModules } from './declarations.ts';
import { readEntries } from './manifest.ts';

type Kind = 'class' | 'const' | 'function' | 'interface' | 'type';

/** Kinds by name: a schema and its type may share one. */
type Exports = Map<string, Set<Kind>>;

const KINDS: Readonly<Record<string, Kind>> = {
  ClassDeclaration: 'class',
  FunctionDeclaration: 'function',
  TSDeclareFunction: 'function',
  TSInterfaceDeclaration: 'interface',
  TSTypeAliasDeclaration: 'type',
};

/** What every entry of the SDK exports, one name a line with its kinds, as stored in `sdk/exports.txt`. */
export function listExports(root: string): string {
  const modules = findOwnModules(root, ['core', 'adapters', 'sdk']);
  const parts = [...readEntries(root).values()].map(({ key, source }) => {
    const rows = [...readExports(source, { root, modules })].map(
      ([name, kinds]) => `${name}: ${[...kinds].toSorted().join(', ')}\n`,
    );
    return `# ${posix.join('@klaus/sdk', key)}\n${rows.toSorted().join('')}`;
  });
  return parts.join('\n');
}

/** @throws Error for an export that this cannot follow, such as `export default`. */
function readExports(file: string, tree: { root: string; modules: OwnModules }): Exports {
  const text = readFileSync(join(tree.root, file), 'utf8');
  const found: Exports = new Map();
  const add = (name: string, kinds: Iterable<Kind>): void =>
    void found.set(name, new Set([...(found.get(name) ?? []), ...kinds]));
  const readFrom = (specifier: string): Exports => {
    const own = specifier.startsWith('.') ? posix.join(posix.dirname(file), specifier) : tree.modules.get(specifier);
    if (own === undefined) throw new Error(`${file} exports what is not ours: ${specifier}`);
    return readExports(own, tree);
  };
  for (const statement of parseSync(file, text).program.body) {
    if (statement.type === 'ExportDefaultDeclaration') throw new Error(`${file} has a default export`);
    if (statement.type === 'ExportAllDeclaration') {
      if (statement.exported) throw new Error(`${file} exports a namespace`);
      for (const [name, kinds] of readFrom(statement.source.value)) add(name, kinds);
    }
    if (statement.type !== 'ExportNamedDeclaration') continue;
    const { declaration, source, specifiers } = statement;
    if (declaration?.type === 'VariableDeclaration') {
      for (const { id } of declaration.declarations) if (id.type === 'Identifier') add(id.name, ['const']);
    } else if (declaration && 'id' in declaration && declaration.id?.type === 'Identifier') {
      const kind = KINDS[declaration.type];
      if (!kind) throw new Error(`${file} exports a ${declaration.type}`);
      add(declaration.id.name, [kind]);
    }
    if (specifiers.length === 0) continue;
    if (!source) throw new Error(`${file} exports names apart from their declarations`);
    const from = readFrom(source.value);
    for (const { local, exported, exportKind } of specifiers) {
      const kinds = from.get(toName(local));
      if (!kinds) throw new Error(`${file} exports ${toName(local)}, which ${source.value} does not have`);
      const isType = statement.exportKind === 'type' || exportKind === 'type';
      add(toName(exported), isType ? [...kinds].flatMap(toTypeKind) : kinds);
    }
  }
  return found;
}

/** The part of an export that `export type` keeps. */
function toTypeKind(kind: Kind): Kind[] {
  if (kind === 'class') return ['type'];
  return kind === 'interface' || kind === 'type' ? [kind] : [];
}

function toName(node: { name: string } | { value: string }): string {
  return 'name' in node ? node.name : node.value;
}
