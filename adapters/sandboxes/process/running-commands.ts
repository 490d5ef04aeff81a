import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { KlausError } from '@klaus/core/protocol';
import { freeze } from '../cgroup/freezer.ts';
import { contains } from '../paths.ts';
import { listDescendants, readProcess } from './process-table.ts';
import { listNames } from '@klaus/adapters/system';
import { readJson } from '../read-text.ts';

export interface RunningCommand {
  /** Init process of the sandbox. */
  pid: number;
  /** Clock ticks since boot. */
  startTime: string;
  /** Absolute paths that it can change: its workspace, and writable folders outside it. */
  folders: readonly string[];
  group?: string;
}

/**
 * Registers a command in `$KLAUS_HOME/running`, for other sessions on the same workspace.
 *
 * @returns Removes the entry. Remaining entries are removed when their process has ended.
 */
export function registerRunning(home: string, command: RunningCommand): () => void {
  const folder = toFolder(home);
  const file = join(folder, `${command.pid}-${command.startTime}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(file, JSON.stringify(command), { mode: 0o600 });
  return () => rmSync(file, { force: true });
}

/**
 * Pauses every running command that can change the given folders, also those of other sessions. Klaus then changes files
 * by their paths, and no command can replace a folder with a symlink at the same time.
 *
 * @param folders A workspace, and writable folders outside it.
 * @returns Resumes the commands. Idempotent.
 * @throws KlausError `sandbox.failed` when a command cannot be paused.
 */
export async function pauseRunning(home: string, folders: readonly string[]): Promise<() => void> {
  const thaws: (() => void)[] = [];
  const resume = (): void => {
    for (const thaw of thaws.splice(0)) thaw();
  };
  for (const { pid, startTime, group } of listRunning(home, folders)) {
    const isAlive = (): boolean => readProcess(pid)?.startTime === startTime;
    const thaw = await freeze({ folder: group, members: () => (isAlive() ? [pid, ...listDescendants(pid)] : []) });
    if (thaw) thaws.push(thaw);
    else {
      resume();
      throw new KlausError(
        'sandbox.failed',
        `A command that is running in ${folders.join(' or ')} could not be paused.`,
      );
    }
  }
  return resume;
}

/** The running commands that can change the folders, a parent or a child of them. */
export function listRunning(home: string, folders: readonly string[]): RunningCommand[] {
  const folder = toFolder(home);
  return listNames(folder).flatMap((name) => {
    const [pid, startTime] = name.split('-');
    const row = readProcess(Number(pid));
    if (!row || row.ended || row.startTime !== startTime) {
      rmSync(join(folder, name), { force: true });
      return [];
    }
    const command = read(join(folder, name));
    const isNear = command?.folders.some((own) => folders.some((one) => contains(own, one) || contains(one, own)));
    return command && isNear ? [command] : [];
  });
}

function read(file: string): RunningCommand | undefined {
  const found = readJson<RunningCommand & { workspace?: string }>(file);
  // Entries of earlier versions have only the workspace.
  return found?.workspace === undefined ? found : { ...found, folders: [found.workspace] };
}

function toFolder(home: string): string {
  return join(home, 'running');
}
