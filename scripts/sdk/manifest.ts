import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Source {
  name: string;
  version: string;
  exports: Record<string, string>;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

/** Where the declarations lie in the package. */
export const TYPES = 'types';

/** Node 22 and 24 with an SQLite (3.51.3) in which concurrent writers cannot damage the write-ahead log. */
const ENGINES = { node: '^22.22.3 || >=24' };

/** Entries of the SDK: source files relative to the repository, by the name of their file in the package. */
export function readEntries(root: string): Map<string, { key: string; source: string }> {
  const { exports } = readSource(root, 'sdk');
  return new Map(
    Object.entries(exports).map(([key, path]) => [
      key === '.' ? 'index' : key.slice(2),
      { key, source: join('sdk', path) },
    ]),
  );
}

/**
 * The manifest of the package as it is published. That of the sources points to TypeScript, which Node does not run
 * below `node_modules`.
 *
 * @param packages What the bundle and its declarations import.
 * @throws Error for one that no manifest of ours names.
 */
export function toManifest(root: string, packages: ReadonlySet<string>): object {
  const { name, version } = readSource(root, 'sdk');
  const top = readSource(root, '.') as Source & { license: string };
  const sources = ['sdk', 'adapters', 'core'].map((folder) => readSource(root, folder));
  const versions = new Map(sources.flatMap(({ dependencies = {} }) => Object.entries(dependencies)));
  const optional = new Map(sources.flatMap(({ devDependencies = {} }) => Object.entries(devDependencies)));
  const exports = [...readEntries(root)].map(([file, { key, source }]) => [
    key,
    { types: `./${TYPES}/${source.replace(/\.ts$/, '.d.ts')}`, default: `./${file}.js` },
  ]);
  const dependencies = [...packages]
    .filter((each) => each !== 'zod' && !optional.has(each))
    .toSorted()
    .map((each) => {
      const pinned = versions.get(each);
      if (pinned === undefined) throw new Error(`the SDK imports ${each}, which none of its manifests names`);
      return [each, pinned] as const;
    });
  const peers = [...packages]
    .flatMap((each) => (optional.has(each) ? [[each, `^${optional.get(each)}`] as const] : []))
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return {
    name,
    version,
    description: 'The engine of Klaus as a library: sessions, tools, approvals, undo.',
    license: top.license,
    type: 'module',
    exports: Object.fromEntries(exports),
    engines: ENGINES,
    // The declarations use Node's own modules.
    dependencies: { ...Object.fromEntries(dependencies), '@types/node': '>=22' },
    // One copy for both sides: the caller creates the schema of a tool and the engine reads it.
    peerDependencies: { ...Object.fromEntries(peers), zod: `^${versions.get('zod')}` },
    // A program that connects to Temporal or to an object store installs the client itself.
    peerDependenciesMeta: Object.fromEntries(peers.map(([each]) => [each, { optional: true }])),
  };
}

function readSource(root: string, folder: string): Source {
  return JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Source;
}
