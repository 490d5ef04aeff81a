import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { bundleProgram, writeLicenses } from '../bundle/bundle-program.ts';
import { bundleImport } from './bundle-import.ts';
import { toCliManifest, toLibraryManifest } from './manifests.ts';

// Builds the packages `klendathu` and `klendathu-cli`, each in a folder of its name.

const root = join(import.meta.dirname, '../..');
const out = resolve(process.argv[2] ?? join(root, 'dist/packages'));

buildLibrary(join(out, 'klendathu'));
await bundleImport(join(out, 'klendathu'));
const { chunks, bytes } = await buildCli(join(out, 'klendathu-cli'));
console.log(`${chunks} chunks, ${Math.round(bytes / 1024)} KB, in ${relative(process.cwd(), out)}`);

function buildLibrary(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  execFileSync(process.execPath, [tsc, '-p', join(root, 'scripts/klendathu'), '--outDir', folder], {
    cwd: root,
    stdio: 'inherit',
  });
  const manifest = toLibraryManifest(root) as { bin?: Record<string, string> };
  for (const path of Object.values(manifest.bin ?? {})) chmodSync(join(folder, path), 0o755);
  // Templates and other files that are no code.
  copyTexts(folder, 'apps/debug', manifest);
}

async function buildCli(folder: string): ReturnType<typeof bundleProgram> {
  const dist = join(folder, 'dist');
  const bundle = await bundleProgram({
    root,
    dist,
    main: 'apps/debug-cli/main.ts',
    // It reads ../templates.
    filesBeside: { 'apps/debug-cli/prompt/builtin-templates.ts': 'prompt' },
    stub: { source: 'scripts/klendathu/stub.cjs', name: 'klendathu-cli.cjs' },
  });
  writeLicenses(dist, bundle.moduleIds);
  cpSync(join(root, 'apps/debug-cli/templates'), join(dist, 'templates'), { recursive: true });
  copyTexts(folder, 'apps/debug-cli', toCliManifest(root));
  return bundle;
}

function copyTexts(folder: string, source: string, manifest: object): void {
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  const readme = join(root, source, 'README.md');
  if (existsSync(readme)) writeFileSync(join(folder, 'README.md'), readFileSync(readme));
}
