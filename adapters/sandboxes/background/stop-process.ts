import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { KlausError } from '@klaus/core/protocol';
import { listDescendants, sendSignal } from '../process/process-table.ts';
import { readIdentity } from './process-files.ts';
import { isAlive, isOfThisMachine, isSupervised } from './process-status.ts';

const POLL_MS = 10;
/** After SIGKILL to the first process of a namespace the kernel needs milliseconds; a disk that hangs may need longer. */
const END_MS = 10_000;

/**
 * Ends a process and everything in its sandbox, if it runs: asks first, and after `graceMs` does not ask. Resolves
 * when nothing of it is left.
 *
 * @throws KlausError `sandbox.failed` when it does not end, `usage` for one of another container.
 */
export async function endProcess(folder: string, options: { reason: string; graceMs: number }): Promise<void> {
  const identity = readIdentity(folder);
  if (!identity || !isSupervised(identity)) return;
  if (!isOfThisMachine(identity))
    throw new KlausError('usage', 'This process runs in another container: stop it from there.');
  const { supervisor, init } = identity;
  noteReason(folder, options.reason);
  const isGone = (): boolean => !isAlive(supervisor);
  if (options.graceMs > 0 && isAlive(init)) {
    // The first process inside ignores it; a program that forks is asked in each of its parts.
    for (const member of listDescendants(init.pid)) sendSignal(member, 'SIGTERM');
    if (await waitUntil(options.graceMs, isGone)) return;
  }
  // With it everything in its namespace ends, whatever it forked; the shell over it writes the exit code and ends.
  if (isAlive(init)) sendSignal(init.pid, 'SIGKILL');
  if (await waitUntil(END_MS, isGone)) return;
  throw new KlausError('sandbox.failed', `The process ${init.pid} was killed and does not end.`);
}

/** Resolves when a process that may be between its intent and its start has begun, or certainly never will. */
export async function waitForStart(folder: string, hasBegun: () => boolean): Promise<void> {
  const identity = readIdentity(folder);
  if (!identity || !isOfThisMachine(identity)) return;
  await waitUntil(END_MS, () => hasBegun() || existsSync(join(folder, 'exit')) || !isAlive(identity.supervisor));
}

/** The first reason counts. */
function noteReason(folder: string, reason: string): void {
  try {
    writeFileSync(join(folder, 'stop'), `${reason}\n`, { flag: 'wx', mode: 0o600 });
  } catch {
    // Somebody else is stopping it.
  }
}

/** True as soon as it is so, false after the time. */
export async function waitUntil(ms: number, isSo: () => boolean, signal?: AbortSignal): Promise<boolean> {
  const until = performance.now() + ms;
  for (;;) {
    if (isSo()) return true;
    if (performance.now() >= until || signal?.aborted) return false;
    await sleep(Math.min(POLL_MS, Math.max(1, until - performance.now())));
  }
}
