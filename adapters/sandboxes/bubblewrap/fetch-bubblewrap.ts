import type { ExecFileOptions } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { toHostEnvironment, toHostPath } from '@klaus/adapters/system';
import { findProgram } from '../find-program.ts';
import { runProgram } from '../run-program.ts';

/** Allows for a slow connection to a distant mirror. */
const TIMEOUT_MS = 120_000;

export function toFetchedProgram(home: string): string {
  return join(home, 'tools', 'bubblewrap', 'usr', 'bin', 'bwrap');
}

/** True if apt and dpkg are installed, so that {@link fetchBubblewrap} may succeed. */
export function canFetchBubblewrap(path = process.env['PATH']): boolean {
  return findMissingTool(path) === undefined;
}

export type Fetched = { path: string; reason?: undefined } | { path?: undefined; reason: string };

/**
 * Downloads the distribution's package of bubblewrap into `$KLAUS_HOME/tools` without installing it and without root
 * rights. apt uses separate lists and a separate cache. It verifies the package against the distribution's signature;
 * unsigned sources are refused. Nothing outside `home` changes.
 *
 * @param env The environment, for PATH and the user's proxy.
 * @returns The program, which may still not work on this machine, or the reason of the failure as one sentence.
 */
export async function fetchBubblewrap(
  home: string,
  { env = process.env }: { env?: NodeJS.ProcessEnv } = {},
): Promise<Fetched> {
  const target = toFetchedProgram(home);
  if (existsSync(target)) return { path: target };
  const missing = findMissingTool(env['PATH']);
  if (missing !== undefined) return { reason: `${missing}, which is needed to fetch it, is not on the PATH` };
  const tools = join(home, 'tools');
  await mkdir(tools, { recursive: true, mode: 0o700 });
  const folder = await mkdtemp(join(tools, 'fetch-'));
  try {
    for (const part of ['state/lists/partial', 'cache/archives/partial', 'package'])
      await mkdir(join(folder, part), { recursive: true });
    const failure = await download(folder, env);
    if (failure !== undefined) return { reason: failure };
    // Another Klaus process may have fetched it first.
    await rename(join(folder, 'package'), join(tools, 'bubblewrap')).catch((error: unknown) => {
      if (!existsSync(target)) throw error;
    });
    return { path: target };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** @returns The reason of a failure. */
async function download(folder: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const options = [
    `Dir::State=${folder}/state`,
    `Dir::State::lists=${folder}/state/lists`,
    `Dir::Cache=${folder}/cache`,
    'Debug::NoLocking=1',
    // Otherwise apt, run by root, would change to a user without write access.
    'APT::Sandbox::User=',
    'APT::Get::AllowUnauthenticated=false',
    'Acquire::AllowInsecureRepositories=false',
    'Acquire::AllowDowngradeToInsecureRepositories=false',
    'Acquire::Languages=none',
    'Acquire::Retries=1',
  ].flatMap((option) => ['-o', option]);
  const at = {
    cwd: folder,
    env: { ...toHostEnvironment(env), LC_ALL: 'C' },
    timeout: TIMEOUT_MS,
    maxBuffer: 16 * 1_048_576,
  };
  let unreached = '';
  for (const words of [['update'], ['download', 'bubblewrap']]) {
    const { ok, text } = await run('apt-get', ['-q', ...options, ...words], at);
    if (!ok) return `apt-get ${words.join(' ')} failed: ${toReason(text)}${unreached}`;
    // Lists that could not be fetched are a warning only, and why there is no package.
    const [, failed] = /^W: (Failed to fetch .*)$/m.exec(text) ?? [];
    if (failed !== undefined) unreached = ` (${failed.trim()})`;
  }
  const archive = (await readdir(folder)).find((name) => name.endsWith('.deb'));
  if (archive === undefined) return 'apt-get download created no package';
  const { ok, text } = await run('dpkg-deb', ['-x', archive, 'package'], at);
  return ok ? undefined : `dpkg-deb failed: ${toReason(text)}`;
}

/** The first error that apt reports, or else its last line. */
function toReason(text: string): string {
  const lines = text.split('\n').map((line) => line.trim());
  const line = lines.find((each) => each.startsWith('E: ')) ?? lines.findLast((each) => each !== '');
  return line?.replace(/^E: /, '') ?? 'it printed no error';
}

async function run(file: string, args: readonly string[], at: ExecFileOptions): Promise<{ ok: boolean; text: string }> {
  const { ok, stdout, stderr, error } = await runProgram(file, args, at);
  const late = error?.killed === true ? `no answer within ${TIMEOUT_MS / 1_000} seconds` : '';
  return { ok, text: `${stderr}\n${stdout}\n${late}`.trim() };
}

/** The first program that a fetch needs and that is not on the PATH. */
export function findMissingTool(path = process.env['PATH'] ?? ''): string | undefined {
  return ['apt-get', 'dpkg-deb'].find((program) => findProgram(program, toHostPath(path)) === undefined);
}
