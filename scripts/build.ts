import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { loadWorker } from '../adapters/scheduler/temporal/packages.ts';
import { BUNDLE_NAME, compileWorkflow } from '../adapters/scheduler/temporal/workflow-bundle.ts';
import { createProgram } from '../apps/cli/program/program.ts';
import { bundleProgram, writeLicenses } from './bundle/bundle-program.ts';
import { toManPage } from './man-page.ts';
import { buildWeb } from './web.ts';

const root = join(import.meta.dirname, '..');
const dist = resolve(process.argv[2] ?? join(root, 'dist'));

const { moduleIds, chunks, bytes } = await bundleProgram({
  root,
  dist,
  main: 'apps/cli/main.ts',
  filesBeside: {
    'apps/cli/demo/files.ts': 'demo',
    // It reads ../../web/dist.
    'apps/server/http/static-files.ts': 'server/http',
    'apps/terminal/images/draw-sixel.ts': '.',
    'adapters/scheduler/temporal/workflow-bundle.ts': '.',
  },
  threads: { 'sixel-worker': 'apps/terminal/images/sixel-worker.ts' },
  stub: { source: 'scripts/stub.cjs', name: 'klaus.cjs' },
});

// The server in the bundle reads the page from there.
const page = await buildWeb(join(dist, 'web/dist'));
writeLicenses(dist, [...moduleIds, ...page]);
mkdirSync(join(dist, 'demo'));
for (const name of ['project', 'script.yaml']) {
  cpSync(join(root, 'apps/cli/demo', name), join(dist, 'demo', name), { recursive: true });
}
mkdirSync(join(dist, 'man'));
writeFileSync(join(dist, 'man/klaus.1'), toManPage(await createProgram()));
cpSync(join(root, 'apps/claude-code/plugin'), join(dist, 'claude-code-plugin'), { recursive: true });
writeFileSync(join(dist, BUNDLE_NAME), await compileWorkflow(loadWorker()));

console.log(`${chunks} chunks, ${Math.round(bytes / 1024)} KB, in ${relative(process.cwd(), dist)}`);
