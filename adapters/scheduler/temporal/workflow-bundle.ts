import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TemporalPackages, VERSION } from './packages.ts';

/** The compiled workflow in an installed program; `scripts/build.ts` writes it. */
export const BUNDLE_NAME = 'temporal-workflow.cjs';

/**
 * The path of the compiled workflow. An installed program contains it; a clone compiles it on first use, in some seconds,
 * into the cache folder under a name that changes with its sources and with the version of Temporal's packages.
 */
export async function provideWorkflowBundle(
  packages: Pick<TemporalPackages, 'worker'>,
  cache: string,
): Promise<string> {
  const installed = join(import.meta.dirname, BUNDLE_NAME);
  if (existsSync(installed)) return installed;
  const path = join(cache, `temporal-workflow-${hashSources()}.cjs`);
  if (existsSync(path)) return path;
  mkdirSync(cache, { recursive: true, mode: 0o700 });
  const own = `${path}.${process.pid}`;
  writeFileSync(own, await compileWorkflow(packages));
  // Another process may have written the same.
  renameSync(own, path);
  return path;
}

/** Compiles the workflow with its dependencies into one script. */
export async function compileWorkflow({ worker }: Pick<TemporalPackages, 'worker'>): Promise<string> {
  const { code } = await worker.bundleWorkflowCode({
    workflowsPath: join(import.meta.dirname, 'workflow/run-session.ts'),
    logger: new worker.DefaultLogger('ERROR'),
  });
  return code;
}

function hashSources(): string {
  const folder = join(import.meta.dirname, 'workflow');
  const hash = createHash('sha256').update(VERSION);
  for (const name of readdirSync(folder).sort())
    if (name.endsWith('.ts')) hash.update(readFileSync(join(folder, name)));
  return hash.digest('hex').slice(0, 16);
}
