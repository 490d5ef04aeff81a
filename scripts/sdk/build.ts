// Builds the package @klaus/sdk as it is published, with core and adapters in it: `node scripts/sdk/build.ts [FOLDER]`.
import { execFileSync } from 'node:child_process';
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { rolldown } from 'rolldown';
import { loadWorker } from '../../adapters/scheduler/temporal/packages.ts';
import { BUNDLE_NAME, compileWorkflow } from '../../adapters/scheduler/temporal/workflow-bundle.ts';
import { collectLicenses } from '../licenses.ts';
import { copyDeclarations, findOwnModules } from './declarations.ts';
import { readEntries, toManifest, TYPES } from './manifest.ts';

const root = join(import.meta.dirname, '../..');
const WORKFLOW_MODULE = 'adapters/scheduler/temporal/workflow-bundle.ts';
const out = resolve(process.argv[2] ?? join(root, 'sdk/dist'));

/** Third-party packages stay external: npm shares them with the rest of a program, and can update them. */
function isExternal(id: string): boolean {
  return !/^(?:[./\0]|@klaus\/|@oxc-project\/runtime)/.test(id);
}

/** `yaml`, `@vscode/ripgrep`: the package of a specifier; undefined for a module of Node. */
function toPackage(specifier: string): string | undefined {
  return specifier.startsWith('node:') ? undefined : /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0];
}

rmSync(out, { recursive: true, force: true });
const entries = readEntries(root);
const bundle = await rolldown({
  input: Object.fromEntries([...entries].map(([name, { source }]) => [name, join(root, source)])),
  platform: 'node',
  external: isExternal,
  // Node 22 does not support `using`.
  transform: { target: 'node22' },
  checks: { ineffectiveDynamicImport: false },
});
const { output } = await bundle.write({ dir: out, format: 'esm', chunkFileNames: 'chunks/[name]-[hash].js' });
await bundle.close();
const chunks = output.filter((it) => it.type === 'chunk');
const usesPath = chunks.filter(({ code }) =>
  /\bimport\.meta\.(?:dirname|filename|url)\b/.test(code.replaceAll('createRequire(import.meta.url)', '')),
);
for (const { fileName, moduleIds } of usesPath) {
  // The only module whose file is in the package. Rolldown keeps the path of a chunk for each of its modules.
  if (!moduleIds.includes(join(root, WORKFLOW_MODULE)))
    throw new Error(`${fileName} uses its own path, and the files beside it are not in the package`);
  writeFileSync(join(out, dirname(fileName), BUNDLE_NAME), await compileWorkflow(loadWorker()));
}
if (chunks.some(({ code }) => /\(\?[ims]*-?[ims]+:/.test(code)))
  throw new Error('an expression has flags for a part of it, which Node 22 does not know');

execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-b', 'sdk'], {
  cwd: root,
  stdio: 'inherit',
});
const named = copyDeclarations(
  [...entries.values()].map(({ source }) => source),
  { from: join(root, '.types'), to: join(out, TYPES), modules: findOwnModules(root, ['core', 'adapters', 'sdk']) },
);

const files = new Set(chunks.map(({ fileName }) => fileName));
const imported = chunks.flatMap(({ imports, dynamicImports }) => [...imports, ...dynamicImports]);
const packages = [...imported.filter((it) => !files.has(it)), ...named].flatMap((it) => toPackage(it) ?? []);
const manifest = toManifest(root, new Set(packages));
writeFileSync(join(out, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
writeFileSync(join(out, 'THIRD-PARTY-LICENSES.txt'), collectLicenses(chunks.flatMap((it) => it.moduleIds)));
cpSync(join(root, 'sdk/README.md'), join(out, 'README.md'));
cpSync(join(root, 'LICENSE'), join(out, 'LICENSE'));

const bytes = chunks.reduce((sum, it) => sum + it.code.length, 0);
console.log(`${chunks.length} chunks, ${Math.round(bytes / 1024)} KB, in ${relative(process.cwd(), out)}`);
