import { chmodSync, cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { rolldown } from 'rolldown';
import type { Plugin } from 'rolldown';
import { createProgram } from '../apps/cli/program/program.ts';
import { toLatePart } from './late-parts.ts';
import { lazyBundle } from './lazy-bundle.ts';
import { collectLicenses } from './licenses.ts';
import { pureSchemas } from './pure-schemas.ts';
import { toolSchemas } from './tool-schemas.ts';
import { toManPage } from './man-page.ts';
import { buildWeb } from './web.ts';

const root = join(import.meta.dirname, '..');
const dist = resolve(process.argv[2] ?? join(root, 'dist'));

/** Own modules that read files next to them, with the folder below dist/ to which those files are copied. */
const FILES_BESIDE: Record<string, string> = {
  'apps/cli/demo/files.ts': 'demo',
  // It reads ../../web/dist.
  'apps/server/http/static-files.ts': 'server/http',
  'apps/terminal/images/draw-sixel.ts': '.',
};

/** Programs of threads, which are files of their own, by their names. */
const THREADS: Readonly<Record<string, string>> = { 'sixel-worker': 'apps/terminal/images/sixel-worker.ts' };

/**
 * `import.meta.dirname` has another value in a bundle. Modules of the table get the right one. Any other module that
 * uses it fails the build, because its files would be missing only in the installed program.
 */
const ownPlaces: Plugin = {
  name: 'own-places',
  transform(code, id) {
    const path = relative(root, id);
    if (path.startsWith('..') || path.includes('node_modules/')) return null;
    const folder = FILES_BESIDE[path];
    if (folder) return toBundled(code).replaceAll('import.meta.dirname', `(import.meta.dirname + '/${folder}')`);
    const rest = code.replaceAll('createRequire(import.meta.url)', '');
    if (/\bimport\.meta\.(dirname|filename|url)\b/.test(rest)) {
      throw new Error(`${path} uses its own path: add its files to FILES_BESIDE of scripts/build.ts`);
    }
    return null;
  },
};

/** The code with the names that threads have in the bundle. */
function toBundled(code: string): string {
  return Object.keys(THREADS).reduce((text, name) => text.replaceAll(`${name}.ts`, `${name}.cjs`), code);
}

rmSync(dist, { recursive: true, force: true });
const bundle = await rolldown({
  input: {
    main: join(root, 'apps/cli/main.ts'),
    ...Object.fromEntries(Object.entries(THREADS).map(([name, path]) => [name, join(root, path)])),
  },
  platform: 'node',
  // Its CommonJS file loads its parts by names that a bundler cannot follow.
  resolve: { alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' } },
  // It finds a binary in its own package, which a bundle cannot contain.
  external: ['@vscode/ripgrep'],
  plugins: [ownPlaces, toolSchemas(root), pureSchemas, lazyBundle],
  // Only the entry is loaded from outside the bundle.
  preserveEntrySignatures: false,
  // Otherwise the terminal would load all that its library has before its first frame.
  treeshake: { moduleSideEffects: [{ test: /node_modules\/(@earendil-works\/pi-tui|marked)\//, sideEffects: false }] },
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

const chunks = output.filter((it) => it.type === 'chunk');
// The server in the bundle reads the page from there.
const page = await buildWeb(join(dist, 'web/dist'));
const modules = [...chunks.flatMap((it) => it.moduleIds), ...page];
writeFileSync(join(dist, 'THIRD-PARTY-LICENSES.txt'), collectLicenses(modules));
mkdirSync(join(dist, 'demo'));
for (const name of ['project', 'script.yaml']) {
  cpSync(join(root, 'apps/cli/demo', name), join(dist, 'demo', name), { recursive: true });
}
mkdirSync(join(dist, 'man'));
writeFileSync(join(dist, 'man/klaus.1'), toManPage(await createProgram()));
cpSync(join(root, 'apps/claude-code/plugin'), join(dist, 'claude-code-plugin'), { recursive: true });
cpSync(join(root, 'scripts/stub.cjs'), join(dist, 'klaus.cjs'));
cpSync(join(root, 'scripts/code-cache.cjs'), join(dist, 'code-cache.cjs'));
chmodSync(join(dist, 'klaus.cjs'), 0o755);

const bytes = chunks.reduce((sum, it) => sum + it.code.length, 0);
console.log(`${chunks.length} chunks, ${Math.round(bytes / 1024)} KB, in ${relative(process.cwd(), dist)}`);
