import { type ChildProcess, spawn, spawnSync, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createSandbox } from '@klaus/adapters/sandboxes';
import { isKlausError } from '@klaus/core/protocol';
import { type Script, type StartedModelServer, startModelServer } from '@klaus/sdk';
import type { TestHome } from '../test/fixtures/test-home.ts';

export const ROOT = join(import.meta.dirname, '..');

/** A program that does nothing at all. */
export const BARE: readonly string[] = [process.execPath, '-e', '0'];

/** Klaus as it is started from a clone. */
export const SOURCE: readonly string[] = [join(ROOT, 'klaus')];

let bundle: readonly string[] | undefined;

/** The packed Klaus, built on first use. */
export function buildBundle(): readonly string[] {
  if (bundle) return bundle;
  const { status, stderr } = spawnSync(process.execPath, [join(ROOT, 'scripts/build.ts')], { encoding: 'utf8' });
  const file = join(ROOT, 'dist/klaus.cjs');
  if (status !== 0 || !existsSync(file)) throw new Error(`the build failed:\n${stderr}`);
  bundle = [process.execPath, file];
  return bundle;
}

export interface StartOptions {
  place: TestHome;
  /** Above the place's own. */
  env?: Record<string, string>;
  /** Default: nothing is read and nothing is kept. */
  stdio?: StdioOptions;
}

/** Milliseconds after which a program that should take one second is given up. */
export const HUNG_MS = 60_000;

export function start([program = '', ...words]: readonly string[], options: StartOptions): ChildProcess {
  const { place, env = {}, stdio = 'ignore' } = options;
  return spawn(program, words, {
    cwd: place.workspace,
    env: { ...place.env, ...env },
    stdio,
    timeout: HUNG_MS,
    killSignal: 'SIGKILL',
  });
}

/** Milliseconds from start to exit. */
export async function timeToExit(command: readonly string[], options: StartOptions): Promise<number> {
  const begun = performance.now();
  const [code, signal] = (await once(start(command, options), 'exit')) as [number | null, string | null];
  const taken = performance.now() - begun;
  if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code ?? signal}`);
  return taken;
}

/** A scripted model server that ends with its scope. */
export async function openModelServer(script: Script): Promise<StartedModelServer & AsyncDisposable> {
  const server = await startModelServer({ script });
  return { ...server, [Symbol.asyncDispose]: () => server.close() };
}

/** The environment of a run whose model is at `url`, with no sandbox where none works. */
export async function toRunEnv(place: TestHome, url: string): Promise<Record<string, string>> {
  mkdirSync(place.home, { recursive: true, mode: 0o700 });
  return {
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: 'sk-ant-bench-7d20c1f4a9',
    AGENT_MODEL: 'anthropic/claude-sonnet-5-5',
    AGENT_TOKEN_BUDGET: '0',
    AGENT_MAX_TOOL_CALLS: '0',
    ...((await findNoSandbox(place)) === undefined ? {} : { KLAUS_SANDBOX: 'host' }),
  };
}

/** Why no sandbox works here; undefined when one does. */
export async function findNoSandbox({ workspace, home }: TestHome): Promise<string | undefined> {
  try {
    await createSandbox({ workspace, home });
    return undefined;
  } catch (error) {
    if (isKlausError(error) && error.code === 'sandbox.unavailable') return error.message;
    throw error;
  }
}
