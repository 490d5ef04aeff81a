import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Source {
  name: string;
  version: string;
  license: string;
  exports?: Record<string, string>;
  bin?: Record<string, string>;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

/** The bundle with SQLite needs it: see docs/decisions/002-node-from-the-registry.md. */
const ANY_NODE = { node: '>=20' };
const LIBRARY_NODE = { node: '>=22.12' };

/**
 * The manifest of `klendathu` as it is published. That of the sources names TypeScript, which Node does not run below
 * `node_modules`.
 */
export function toLibraryManifest(root: string): object {
  const { name, version, exports = {}, bin = {}, dependencies = {} } = readSource(root, 'apps/debug');
  const { license } = readSource(root, '.');
  return {
    name,
    version,
    description: 'Ask a failing program what happened, from inside it.',
    license,
    type: 'module',
    exports: Object.fromEntries(Object.entries(exports).map(([key, path]) => [key, toEntry(path)])),
    ...(Object.keys(bin).length > 0
      ? {
          bin: Object.fromEntries(Object.entries(bin).map(([key, path]) => [key, toCompiled(path).slice('./'.length)])),
        }
      : {}),
    engines: LIBRARY_NODE,
    dependencies: toPublished(dependencies),
    // Records need no model, and so no command line.
    peerDependencies: { 'klendathu-cli': version },
    peerDependenciesMeta: { 'klendathu-cli': { optional: true } },
  };
}

/** The manifest of `klendathu-cli`. Everything is in its bundle, except for programs of the machine. */
export function toCliManifest(root: string): object {
  const { name, version } = readSource(root, 'apps/debug-cli');
  const { license, dependencies = {}, optionalDependencies } = readSource(root, '.');
  return {
    name,
    version,
    description: 'Investigates a failing program through its MCP server, with the engine of Klaus.',
    license,
    type: 'commonjs',
    bin: { 'klendathu-cli': 'dist/klendathu-cli.cjs' },
    // The library finds the program by the name of the package.
    exports: { '.': './dist/klendathu-cli.cjs', './package.json': './package.json' },
    files: ['dist'],
    engines: ANY_NODE,
    dependencies: { '@vscode/ripgrep': dependencies['@vscode/ripgrep'] },
    optionalDependencies,
  };
}

function toEntry(path: string): string | { types: string; default: string } {
  if (!path.endsWith('.ts')) return path;
  return { types: path.replace(/\.ts$/, '.d.ts'), default: toCompiled(path) };
}

function toCompiled(path: string): string {
  return (path.startsWith('./') ? path : `./${path}`).replace(/\.ts$/, '.js');
}

/** Without the packages of this repository. */
function toPublished(dependencies: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(dependencies).filter(([name]) => !name.startsWith('@klaus/') && name !== 'klendathu-cli'),
  );
}

function readSource(root: string, folder: string): Source {
  return JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Source;
}
