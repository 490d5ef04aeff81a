import { chmodSync, cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { rolldown } from 'rolldown';
import type { Plugin } from 'rolldown';
import { toLatePart } from './late-parts.ts';
import { lazyBundle } from './lazy-bundle.ts';
import { collectLicenses } from './licenses.ts';
import { pureSchemas } from './pure-schemas.ts';
import { toolSchemas } from './tool-schemas.ts';
import { buildWeb } from './web.ts';

const root = join(import.meta.dirname, '..');
/** `dist/`, or the folder that is named. */
const dist = resolve(process.argv[2] ?? join(root, 'dist'));

/** Own modules that find files beside themselves, with the folder below dist/ that those are copied to. */
const FILES_BESIDE: Record<string, string> = {
  'apps/cli/demo/files.ts': 'demo',
  // It looks for ../../web/dist from there.
  'apps/server/http/static-files.ts': 'server/http',
};

/**
 * A module that asks where it lies gets another answer in a bundle. Those in the table get the right one; any
 * other ends the build, because its files would be missing in the installed program and nowhere else.
 */
const ownPlaces: Plugin = {
  name: 'own-places',
  transform(code, id) {
    const path = relative(root, id);
    if (path.startsWith('..') || path.includes('node_modules/')) return null;
    const folder = FILES_BESIDE[path];
    if (folder) return code.replaceAll('import.meta.dirname', `(import.meta.dirname + '/${folder}')`);
    const rest = code.replaceAll('createRequire(import.meta.url)', '');
    if (/\bimport\.meta\.(dirname|filename|url)\b/.test(rest)) {
      throw new Error(`${path} asks where it lies: name its files in FILES_BESIDE of scripts/build.ts`);
    }
    return null;
  },
};

rmSync(dist, { recursive: true, force: true });
const bundle = await rolldown({
  input: { main: join(root, 'apps/cli/main.ts') },
  platform: 'node',
  // It finds a binary in a package of its own, which a bundle cannot hold.
  external: ['@vscode/ripgrep'],
  plugins: [ownPlaces, toolSchemas(root), pureSchemas, lazyBundle],
  // No file is loaded from outside the bundle but its entry.
  preserveEntrySignatures: false,
});
const { output } = await bundle.write({
  dir: dist,
  // CommonJS: an ES module costs more to load, and importing a built-in module as one touches all that it exports,
  // which for node:http loads the whole of `fetch`.
  format: 'cjs',
  minify: true,
  entryFileNames: '[name].cjs',
  // Flat: what finds files beside itself counts on lying in dist/.
  chunkFileNames: '[name]-[hash].cjs',
  codeSplitting: {
    includeDependenciesRecursively: false,
    groups: [{ debugName: 'late parts', name: (id) => toLatePart(relative(root, id)) }],
  },
});
await bundle.close();

const chunks = output.filter((it) => it.type === 'chunk');
// The page lies where the server in the bundle looks for it.
const page = await buildWeb(join(dist, 'web/dist'));
const modules = [...chunks.flatMap((it) => it.moduleIds), ...page];
writeFileSync(join(dist, 'THIRD-PARTY-LICENSES.txt'), collectLicenses(modules));
mkdirSync(join(dist, 'demo'));
for (const name of ['project', 'script.yaml']) {
  cpSync(join(root, 'apps/cli/demo', name), join(dist, 'demo', name), { recursive: true });
}
cpSync(join(root, 'scripts/stub.cjs'), join(dist, 'klaus.cjs'));
cpSync(join(root, 'scripts/code-cache.cjs'), join(dist, 'code-cache.cjs'));
chmodSync(join(dist, 'klaus.cjs'), 0o755);

const bytes = chunks.reduce((sum, it) => sum + it.code.length, 0);
console.log(`${chunks.length} chunks, ${Math.round(bytes / 1024)} KB, in ${relative(process.cwd(), dist)}`);
