import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import { toHostPath } from '@klaus/adapters/system';
import { KlausError, toKlausError } from '@klaus/core/protocol';
import { ownNamespace } from '../process/owner.ts';
import { findNamespaceInit, readProcess, type ProcessRow } from '../process/process-table.ts';
import { bootId, writeIdentity } from './process-files.ts';
import { readOutput } from './process-output.ts';
import { hasBegun } from './process-status.ts';
import { waitUntil } from './stop-process.ts';
import { SEGMENT_BYTES, SUPERVISOR } from './supervisor.ts';

const START_MS = 30_000;

export interface BackgroundLaunch {
  /** Folder of the process, which contains only its record. */
  folder: string;
  file: string;
  args: readonly string[];
  /** Content of descriptor 4. */
  filter?: Uint8Array;
  /** Variables for the command, in addition to those in the arguments. */
  env: Readonly<Record<string, string>>;
  survives: boolean;
  timeoutMs?: number;
  groups: readonly string[];
  /** Moves the supervising shell into the control group before it forks. */
  enter: (pid: number) => Promise<void>;
  /** Checks the sandbox before the command begins. @throws An error that ends it. */
  check: (init: number) => void;
  signal?: AbortSignal;
}

/**
 * Starts a background process. Resolves when its command has begun.
 *
 * @returns The supervising shell, which does not keep this process running, and the init process of the sandbox.
 * @throws KlausError `sandbox.failed`, `cancelled`; the command does not run then.
 */
export async function launchBackground(launch: BackgroundLaunch): Promise<{ child: ChildProcess; init: ProcessRow }> {
  const child = start(launch);
  const channel = child.stdio[3] as Socket;
  // The exit of the child already reports that it has ended.
  channel.on('error', ignore);
  const ended = new Promise<never>((_, reject) => {
    child.once('error', (error) => reject(toKlausError(error, 'sandbox.failed')));
    child.once('exit', () => reject(toFailure(launch.folder)));
  });
  ended.catch(ignore);
  const late = setTimeout(() => channel.destroy(), START_MS);
  try {
    await Promise.race([begin(launch, child, channel), ended]);
    const init = child.pid === undefined ? undefined : findInit(child.pid);
    const supervisor = child.pid === undefined ? undefined : readProcess(child.pid);
    if (!init || !supervisor) throw toFailure(launch.folder);
    launch.check(init.pid);
    writeIdentity(launch.folder, {
      boot: bootId(),
      namespace: ownNamespace(),
      supervisor: { pid: supervisor.pid, startTime: supervisor.startTime },
      init: { pid: init.pid, startTime: init.startTime },
      groups: launch.groups,
    });
    if (launch.signal?.aborted) throw new KlausError('cancelled', 'The process was cancelled before it started.');
    channel.write('go\n');
    const isOver = (): boolean => child.exitCode !== null || child.signalCode !== null;
    await waitUntil(START_MS, () => hasBegun(launch.folder) || isOver());
    if (!hasBegun(launch.folder)) throw toFailure(launch.folder);
    return { child, init };
  } catch (error) {
    // The end of the channel instead of "go" ends the supervising shell before the command runs.
    channel.destroy();
    if (child.exitCode === null && child.signalCode === null && child.pid !== undefined) await once(child, 'exit');
    throw error;
  } finally {
    clearTimeout(late);
    channel.destroy();
    unref(child);
  }
}

/** Neither the child nor its streams keep this process running. */
function unref(child: ChildProcess): void {
  child.unref();
  const [, , , , filter, , , leash] = child.stdio as (Socket | null | undefined)[];
  filter?.unref();
  leash?.unref();
}

async function begin(launch: BackgroundLaunch, child: ChildProcess, channel: Socket): Promise<void> {
  if (child.pid !== undefined) await launch.enter(child.pid);
  const ready = new Promise<void>((resolve, reject) => {
    channel.once('data', () => resolve());
    channel.once('close', () => reject(toFailure(launch.folder)));
  });
  // From here on the stream is read, so that its end is noticed.
  channel.write('begin\n');
  await ready;
}

function start(launch: BackgroundLaunch): ChildProcess {
  const { folder, file, args, filter, survives, timeoutMs } = launch;
  const limit = timeoutMs === undefined ? '' : String(Math.max(0.001, timeoutMs / 1_000));
  const words = [folder, limit, survives ? '' : 'leash', String(SEGMENT_BYTES), file, ...args];
  const child = spawn('/bin/sh', ['-c', SUPERVISOR, 'klaus-process', ...words], {
    cwd: '/',
    env: { ...launch.env, PATH: toHostPath() },
    // A separate session: signals from the terminal must not reach it.
    detached: true,
    stdio: [
      ...(['ignore', 'ignore', 'ignore', 'pipe'] as const),
      filter ? 'pipe' : 'ignore',
      ...(['ignore', 'ignore'] as const),
      survives ? 'ignore' : 'pipe',
    ],
  });
  const feed = child.stdio[4] as Writable | null | undefined;
  feed?.on('error', ignore);
  feed?.end(filter);
  const leash = (child.stdio as (Socket | null | undefined)[])[7];
  leash?.on('error', ignore);
  return child;
}

function findInit(supervisor: number): ProcessRow | undefined {
  const pid = findNamespaceInit(supervisor);
  return pid === undefined ? undefined : readProcess(pid);
}

function toFailure(folder: string): KlausError {
  const { text } = readOutput(folder, { from: 0, maxBytes: 4_000 });
  return new KlausError('sandbox.failed', text.trim() || 'The background process did not start.');
}

function ignore(): void {}
