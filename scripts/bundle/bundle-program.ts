import { chmodSync, cpSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { rolldown } from 'rolldown';
import type { Plugin } from 'rolldown';
import { toLatePart } from './late-parts.ts';
import { lazyBundle } from './lazy-bundle.ts';
import { collectLicenses } from '../licenses.ts';
import { pureSchemas } from './pure-schemas.ts';
import { toolSchemas } from './tool-schemas.ts';

export interface BundleOptions {
  /** The repository. */
  root: string;
  /** The folder of the bundle; what is there is deleted. */
  dist: string;
  /** Source of the program, relative to the repository. */
  main: string;
  /** Own modules that read files next to them, with the folder below dist/ to which those files are copied. */
  filesBeside: Readonly<Record<string, string>>;
  /** Sources of the programs of threads, which are files of their own, by their names. */
  threads?: Readonly<Record<string, string>>;
  /** The program that any Node can run, and its name in dist/. */
  stub: { source: string; name: string };
}

const EXTERNAL = [
  // It finds a binary in its own package, which a bundle cannot contain.
  '@vscode/ripgrep',
  // Only workers of a cluster need it, and their operators install it.
  '@aws-sdk/client-s3',
  // `pg` asks for it only where a program wants the native client.
  'pg-native',
];

/** The modules of a bundle, for `writeLicenses`. */
export interface ProgramBundle {
  moduleIds: string[];
  chunks: number;
  bytes: number;
}

/**
 * Writes a program as a bundle: its files, its stub, and the loader of its code cache.
 *
 * @throws Error for a module that uses its own path and is not in `filesBeside`.
 */
export async function bundleProgram(options: BundleOptions): Promise<ProgramBundle> {
  const { root, dist, main, threads = {}, stub } = options;
  rmSync(dist, { recursive: true, force: true });
  const bundle = await rolldown({
    input: {
      main: join(root, main),
      ...Object.fromEntries(Object.entries(threads).map(([name, path]) => [name, join(root, path)])),
    },
    platform: 'node',
    // Its CommonJS file loads its parts by names that a bundler cannot follow.
    resolve: { alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' } },
    external: EXTERNAL,
    plugins: [toOwnPlaces(options), toolSchemas(root), pureSchemas, lazyBundle],
    // Only the entry is loaded from outside the bundle.
    preserveEntrySignatures: false,
    // Otherwise the terminal would load all that its library has before its first frame.
    treeshake: {
      moduleSideEffects: [{ test: /node_modules\/(@earendil-works\/pi-tui|marked)\//, sideEffects: false }],
    },
  });
  const { output } = await bundle.write({
    dir: dist,
    // CommonJS: an ES module costs more to load, and importing a built-in module from one reads all of its exports,
    // which for node:http loads `fetch`.
    format: 'cjs',
    // Code that the code cache loads cannot call `import()`.
    dynamicImportInCjs: false,
    minify: true,
    entryFileNames: '[name].cjs',
    // Flat: modules that read files next to them expect to be in dist/.
    chunkFileNames: '[name]-[hash].cjs',
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [{ debugName: 'late parts', name: (id) => toLatePart(relative(root, id)) }],
    },
  });
  await bundle.close();
  cpSync(join(root, stub.source), join(dist, stub.name));
  for (const name of ['node-stub.cjs', 'code-cache.cjs']) cpSync(join(root, 'scripts', name), join(dist, name));
  chmodSync(join(dist, stub.name), 0o755);
  const chunks = output.filter((it) => it.type === 'chunk');
  return {
    moduleIds: chunks.flatMap((it) => it.moduleIds),
    chunks: chunks.length,
    bytes: chunks.reduce((sum, it) => sum + it.code.length, 0),
  };
}

export function writeLicenses(dist: string, moduleIds: readonly string[]): void {
  writeFileSync(join(dist, 'THIRD-PARTY-LICENSES.txt'), collectLicenses([...moduleIds]));
}

/**
 * `import.meta.dirname` has another value in a bundle. Modules of the table get the right one. Any other module that
 * uses it fails the build, because its files would be missing only in the installed program.
 */
function toOwnPlaces({ root, filesBeside, threads = {} }: BundleOptions): Plugin {
  // The code with the names that threads have in the bundle.
  const toBundled = (code: string): string =>
    Object.keys(threads).reduce((text, name) => text.replaceAll(`${name}.ts`, `${name}.cjs`), code);
  return {
    name: 'own-places',
    transform(code, id) {
      const path = relative(root, id);
      if (path.startsWith('..') || path.includes('node_modules/')) return null;
      const folder = filesBeside[path];
      if (folder) return toBundled(code).replaceAll('import.meta.dirname', `(import.meta.dirname + '/${folder}')`);
      const rest = code.replaceAll('createRequire(import.meta.url)', '');
      if (/\bimport\.meta\.(dirname|filename|url)\b/.test(rest)) {
        throw new Error(`${path} uses its own path: add its files to filesBeside of its bundle`);
      }
      return null;
    },
  };
}
