import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { ProcessStatus } from '@klaus/core/agent';
import { ownNamespace } from '../process/owner.ts';
import { readProcess } from '../process/process-table.ts';
import { countOutput } from './process-output.ts';
import { readJson } from '../read-text.ts';
import { bootId, readIdentity, readLine, readRecord } from './process-files.ts';
import type { ProcessIdentity, ProcessName } from './process-files.ts';

export function readStatus(folder: string): ProcessStatus | undefined {
  const record = readRecord(folder);
  if (!record) return undefined;
  const identity = readIdentity(folder);
  const found = readState(folder, identity);
  const exit = found.state === 'running' ? undefined : statSync(join(folder, 'exit'), { throwIfNoEntry: false });
  const { session, id, call, attempt, command, workspace, survives, startedAt } = record;
  return {
    ...{ session, id, call, attempt, command, workspace, survives, startedAt },
    ...found,
    pid: identity?.init.pid ?? null,
    endedAt: exit?.mtimeMs ?? null,
    bytes: countOutput(folder),
    warnings: readJson<string[]>(join(folder, 'warnings.json')) ?? [],
  };
}

type Found = Pick<ProcessStatus, 'state' | 'exitCode' | 'reason'>;

function readState(folder: string, identity: ProcessIdentity | undefined): Found {
  // Checked before the exit code is read, which a process has written when it is not running.
  const isRunning = identity !== undefined && isSupervised(identity);
  const code = readLine(join(folder, 'exit'));
  const reason = readLine(join(folder, 'stop')) ?? null;
  if (!identity || (!isRunning && !hasBegun(folder))) return { state: 'unstarted', exitCode: null, reason };
  if (isRunning && code === undefined) return { state: 'running', exitCode: null, reason: null };
  const exitCode = code === undefined ? null : Number(code);
  if (reason !== null) return { state: 'stopped', exitCode, reason };
  if (exitCode !== null) return { state: 'exited', exitCode, reason: null };
  const why = identity.boot === bootId() ? 'it was killed from outside' : 'the machine was restarted';
  return { state: 'lost', exitCode: null, reason: why };
}

export function hasBegun(folder: string): boolean {
  try {
    return readFileSync(join(folder, 'started')).length > 0;
  } catch {
    return false;
  }
}

/** True while the supervising shell runs. A shell in another pid namespace cannot be checked and counts as running. */
export function isSupervised({ boot, namespace, supervisor }: ProcessIdentity): boolean {
  if (boot !== bootId()) return false;
  return namespace !== ownNamespace() || isAlive(supervisor);
}

/** True while the process runs. The start time distinguishes it from a later process with the same id. */
export function isAlive({ pid, startTime }: ProcessName): boolean {
  const row = readProcess(pid);
  return row !== undefined && !row.ended && row.startTime === startTime;
}

/** True when this process can send signals to the ids of the identity. */
export function isOfThisMachine({ boot, namespace }: ProcessIdentity): boolean {
  return boot === bootId() && namespace === ownNamespace();
}
