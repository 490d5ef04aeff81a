import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { KlausError } from '@klaus/core/protocol';
import { listDescendants, sendSignal } from '../process/process-table.ts';
import { readIdentity } from './process-files.ts';
import { isAlive, isOfThisMachine, isSupervised } from './process-status.ts';

const POLL_MS = 10;
/** Time limit after SIGKILL. The kernel usually needs milliseconds, but a hanging disk can delay the end. */
const END_MS = 10_000;

/**
 * Ends a running process and its sandbox: with SIGTERM, and with SIGKILL after `graceMs`. Resolves when all of its
 * processes have ended.
 *
 * @throws KlausError `sandbox.failed` when it does not end, `usage` for a process in another container.
 */
export async function endProcess(folder: string, options: { reason: string; graceMs: number }): Promise<void> {
  const identity = readIdentity(folder);
  if (!identity || !isSupervised(identity)) return;
  if (!isOfThisMachine(identity))
    throw new KlausError('usage', 'This process runs in another container. Stop it there.');
  const { supervisor, init } = identity;
  noteReason(folder, options.reason);
  const isGone = (): boolean => !isAlive(supervisor);
  if (options.graceMs > 0 && isAlive(init)) {
    // The init process ignores SIGTERM, so the signal is sent to every other process.
    for (const member of listDescendants(init.pid)) sendSignal(member, 'SIGTERM');
    if (await waitUntil(options.graceMs, isGone)) return;
  }
  // This ends all processes of the namespace. The supervising shell then writes the exit code and exits.
  if (isAlive(init)) sendSignal(init.pid, 'SIGKILL');
  if (await waitUntil(END_MS, isGone)) return;
  throw new KlausError('sandbox.failed', `The process ${init.pid} was killed but did not end.`);
}

/** Waits until a process that may be starting has begun or failed. */
export async function waitForStart(folder: string, hasBegun: () => boolean): Promise<void> {
  const identity = readIdentity(folder);
  if (!identity || !isOfThisMachine(identity)) return;
  await waitUntil(END_MS, () => hasBegun() || existsSync(join(folder, 'exit')) || !isAlive(identity.supervisor));
}

function noteReason(folder: string, reason: string): void {
  try {
    writeFileSync(join(folder, 'stop'), `${reason}\n`, { flag: 'wx', mode: 0o600 });
  } catch {
    // Another process has stored a reason.
  }
}

/** Polls a condition. True when it holds, false after the time or when the signal has fired. */
export async function waitUntil(ms: number, isSo: () => boolean, signal?: AbortSignal): Promise<boolean> {
  const until = performance.now() + ms;
  for (;;) {
    if (isSo()) return true;
    if (performance.now() >= until || signal?.aborted) return false;
    await sleep(Math.min(POLL_MS, Math.max(1, until - performance.now())));
  }
}
