import { existsSync, statSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { release } from 'node:os';
import { join } from 'node:path';
import { toHostPath } from '@klaus/adapters/system';
import { CONTAINER_FIX, isInContainer, toInstallLine, type Availability } from '../availability.ts';
import { findProgram } from '../find-program.ts';
import { readJson } from '../read-text.ts';
import { runProgram } from '../run-program.ts';
import { words } from '../words.ts';
import { findMissingTool, toFetchedProgram } from './fetch-bubblewrap.ts';

export interface BubblewrapProgram {
  path: string;
  /** `bwrap --version`, such as `bubblewrap 0.8.0`. */
  version: string;
  hasDisableUserns: boolean;
}

export type BubblewrapSearch =
  | { program: BubblewrapProgram }
  | { program?: undefined; reason: string; fix: string; install?: string; canFetch?: true };

export interface FindOptions {
  /** Klaus's own state, which has the cache of the search. */
  home: string;
  /** Folders to search for `bwrap`. Default: PATH. */
  path?: string;
}

const USERNS_LINE = 'sysctl -w kernel.unprivileged_userns_clone=1';
const APPARMOR_LINE = 'sysctl -w kernel.apparmor_restrict_unprivileged_userns=0';

/**
 * Finds a `bwrap` that works on this machine: on the PATH, or else one that was fetched before. A trial run (about 20 ms)
 * decides. Its success is cached for the program file, kernel and user.
 */
export async function findBubblewrap(options: FindOptions): Promise<BubblewrapSearch> {
  if (process.platform !== 'linux') {
    return { reason: 'bubblewrap needs Linux', fix: 'Start Docker and set DOCKER_ENABLED=true.' };
  }
  const fetched = toFetchedProgram(options.home);
  const path = findProgram('bwrap', toHostPath(options.path)) ?? (existsSync(fetched) ? fetched : undefined);
  if (!path) {
    const line = toInstallLine({ debian: 'bubblewrap', other: 'bubblewrap' });
    const missing = findMissingTool(options.path);
    return {
      reason: `the program bwrap is not installed${missing === undefined ? '' : `, and without ${missing} it cannot be fetched`}`,
      ...(missing === undefined ? { canFetch: true } : {}),
      ...(line && !(missing !== undefined && line.includes(missing))
        ? { fix: `Type: ${line}`, install: line }
        : { fix: 'Install the package bubblewrap.' }),
    };
  }
  const key = toKey(path);
  const known = readCache(options.home, key);
  if (known) return { program: known };
  const found = await tryProgram(path);
  if (found.program) await writeCache(options.home, { key, program: found.program });
  return found;
}

/** Failures are ignored, for example on a full disk: the next search then tries the program again. */
async function writeCache(home: string, memory: { key: string; program: BubblewrapProgram }): Promise<void> {
  try {
    await mkdir(join(home, 'cache'), { recursive: true, mode: 0o700 });
    await writeFile(toCacheFile(home), JSON.stringify(memory), { mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
  }
}

export async function forgetBubblewrap(home: string): Promise<void> {
  await rm(toCacheFile(home), { force: true });
}

export function toBubblewrapAvailability(search: BubblewrapSearch): Availability {
  const name = 'bubblewrap';
  if (search.program) return { name, available: true, detail: `${search.program.version} (${search.program.path})` };
  return { name, available: false, ...search };
}

export function explainFailure(
  stderr: string,
  { isRoot, inContainer }: { isRoot: boolean; inContainer: boolean },
): { reason: string; fix: string } {
  const reason = `bwrap does not work here: ${stderr.trim() || 'it printed no error'}`;
  // Limits of the container engine apply before those of the machine.
  if (inContainer && /Permission denied|not permitted|No permissions/.test(stderr)) {
    return { reason, fix: CONTAINER_FIX };
  }
  const sudo = isRoot ? '' : 'sudo ';
  if (/uid map: Permission denied|RTM_NEWADDR: Operation not permitted/.test(stderr)) {
    return { reason, fix: `AppArmor does not allow users to create namespaces. Type: ${sudo}${APPARMOR_LINE}` };
  }
  if (/No permissions to creat|namespace failed: Operation not permitted/.test(stderr)) {
    return { reason, fix: `The kernel does not allow users to create namespaces. Type: ${sudo}${USERNS_LINE}` };
  }
  if (/namespace failed:.*(?:No space left|ENOSPC)/.test(stderr)) {
    const line = `${sudo}sysctl -w user.max_user_namespaces=15000`;
    return { reason, fix: `The limit of user namespaces is reached, or they are disabled. Type: ${line}` };
  }
  if (/mount proc/.test(stderr)) return { reason, fix: CONTAINER_FIX };
  return { reason, fix: 'Update bubblewrap, or start Docker and set DOCKER_ENABLED=true.' };
}

async function tryProgram(path: string): Promise<BubblewrapSearch> {
  const options = { timeout: 10_000, killSignal: 'SIGKILL' } as const;
  const version = (await runProgram(path, ['--version'], options)).stdout.trim();
  const base = words('--unshare-all --unshare-user --die-with-parent --new-session --clearenv --cap-drop ALL');
  const rest = words('--ro-bind / / --proc /proc --dev /dev -- /bin/sh -c :');
  let stderr = '';
  for (const hasDisableUserns of [true, false]) {
    const flags = hasDisableUserns ? ['--disable-userns'] : [];
    const tried = await runProgram(path, [...base, ...flags, ...rest], options);
    if (tried.ok) return { program: { path, version, hasDisableUserns } };
    stderr = tried.stderr;
  }
  return explainFailure(stderr, { isRoot: process.getuid?.() === 0, inContainer: isInContainer() });
}

function toKey(path: string): string {
  const file = statSync(path);
  return [path, file.mtimeMs, file.size, release(), process.getuid?.()].join(' ');
}

function toCacheFile(home: string): string {
  return join(home, 'cache', 'bubblewrap.json');
}

function readCache(home: string, key: string): BubblewrapProgram | undefined {
  const memory = readJson<{ key?: unknown; program?: BubblewrapProgram }>(toCacheFile(home));
  return memory?.key === key ? memory.program : undefined;
}
