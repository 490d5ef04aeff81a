import { execFile } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { toHostEnvironment, toHostPath } from '@klaus/adapters/system';

/** Signed lists of a mirror that is far away, on a slow line. */
const TIMEOUT_MS = 120_000;

/** Where a fetched `bwrap` is. */
export function toFetchedProgram(home: string): string {
  return join(home, 'tools', 'bubblewrap', 'usr', 'bin', 'bwrap');
}

/** True where {@link fetchBubblewrap} may succeed: apt and dpkg are there. */
export function canFetchBubblewrap(path = process.env['PATH']): boolean {
  return findMissingTool(path) === undefined;
}

export type Fetched = { path: string; reason?: undefined } | { path?: undefined; reason: string };

/**
 * Fetches the distribution's own package of bubblewrap into `$KLAUS_HOME/tools`, as any user and without installing
 * it: apt with lists and cache of its own. apt compares the package with the distribution's signature; sources that
 * are not signed are refused. Nothing outside of `home` changes.
 *
 * @param env Where `apt-get` and `dpkg-deb` are found, and the proxy of the user.
 * @returns The program, which may still not work here, or why there is none, as one sentence.
 */
export async function fetchBubblewrap(
  home: string,
  { env = process.env }: { env?: NodeJS.ProcessEnv } = {},
): Promise<Fetched> {
  const target = toFetchedProgram(home);
  if (existsSync(target)) return { path: target };
  const missing = findMissingTool(env['PATH']);
  if (missing !== undefined) return { reason: `${missing} is not on the PATH, by which it could be fetched` };
  const tools = join(home, 'tools');
  await mkdir(tools, { recursive: true, mode: 0o700 });
  const folder = await mkdtemp(join(tools, 'fetch-'));
  try {
    for (const part of ['state/lists/partial', 'cache/archives/partial', 'package'])
      await mkdir(join(folder, part), { recursive: true });
    const failure = await download(folder, env);
    if (failure !== undefined) return { reason: failure };
    // Another Klaus may have been first.
    await rename(join(folder, 'package'), join(tools, 'bubblewrap')).catch((error: unknown) => {
      if (!existsSync(target)) throw error;
    });
    return { path: target };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** @returns Why it failed. */
async function download(folder: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const options = [
    `Dir::State=${folder}/state`,
    `Dir::State::lists=${folder}/state/lists`,
    `Dir::Cache=${folder}/cache`,
    'Debug::NoLocking=1',
    // Otherwise root's apt would change to a user who cannot write here.
    'APT::Sandbox::User=',
    'APT::Get::AllowUnauthenticated=false',
    'Acquire::AllowInsecureRepositories=false',
    'Acquire::AllowDowngradeToInsecureRepositories=false',
    'Acquire::Languages=none',
    'Acquire::Retries=1',
  ].flatMap((option) => ['-o', option]);
  const apt = (...words: string[]) => run('apt-get', ['-q', ...options, ...words], { cwd: folder, env });
  let unreached = '';
  for (const words of [['update'], ['download', 'bubblewrap']]) {
    const { ok, text } = await apt(...words);
    if (!ok) return `apt-get ${words.join(' ')} failed: ${toReason(text)}${unreached}`;
    // Lists that could not be fetched are a warning only, and why there is no package.
    const [, failed] = /^W: (Failed to fetch .*)$/m.exec(text) ?? [];
    if (failed !== undefined) unreached = ` (${failed.trim()})`;
  }
  const archive = (await readdir(folder)).find((name) => name.endsWith('.deb'));
  if (archive === undefined) return 'apt-get download brought no package';
  const { ok, text } = await run('dpkg-deb', ['-x', archive, 'package'], { cwd: folder, env });
  return ok ? undefined : `dpkg-deb failed: ${toReason(text)}`;
}

/** The first error that apt tells, else its last words. */
function toReason(text: string): string {
  const lines = text.split('\n').map((line) => line.trim());
  const line = lines.find((each) => each.startsWith('E: ')) ?? lines.findLast((each) => each !== '');
  return line?.replace(/^E: /, '') ?? 'it ended without a word';
}

function run(
  file: string,
  args: readonly string[],
  { cwd, env }: { cwd: string; env: NodeJS.ProcessEnv },
): Promise<{ ok: boolean; text: string }> {
  return new Promise((resolve) => {
    const options = {
      cwd,
      env: { ...toHostEnvironment(env), LC_ALL: 'C' },
      timeout: TIMEOUT_MS,
      maxBuffer: 16 * 1_048_576,
    };
    execFile(file, args, options, (error, stdout, stderr) => {
      const late = error?.killed === true ? `no answer within ${TIMEOUT_MS / 1_000} seconds` : '';
      resolve({ ok: error === null, text: `${stderr}\n${stdout}\n${late}`.trim() });
    });
  });
}

/** What a fetch needs and is not on the PATH. */
export function findMissingTool(path = process.env['PATH'] ?? ''): string | undefined {
  return ['apt-get', 'dpkg-deb'].find((program) => !isOnPath(program, toHostPath(path)));
}

function isOnPath(program: string, path: string): boolean {
  return path.split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
