import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { KlausError } from '@klaus/core/protocol';
import { freeze } from '../cgroup/freezer.ts';
import { contains } from '../paths.ts';
import { listDescendants, readProcess } from './process-table.ts';

/** A command that is at work in a sandbox. */
export interface RunningCommand {
  /** First process in the sandbox. */
  pid: number;
  /** Clock ticks since boot. */
  startTime: string;
  /** What it can change: its workspace, and folders beside that. Absolute. */
  folders: readonly string[];
  /** Folder of a control group that can be frozen. */
  group?: string | undefined;
}

/**
 * Notes a command in `$KLAUS_HOME/running`, for other sessions on the same workspace.
 *
 * @returns Removes the note; one that stays is removed when its process is gone.
 */
export function noteRunning(home: string, command: RunningCommand): () => void {
  const folder = toFolder(home);
  const file = join(folder, `${command.pid}-${command.startTime}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(file, JSON.stringify(command), { mode: 0o600 });
  return () => rmSync(file, { force: true });
}

/**
 * Stops every command at work in some folders, also those of other sessions, while Klaus itself changes files there by
 * their paths: none of them can put a symlink in the place of a folder meanwhile.
 *
 * @param folders A workspace, and the folders beside it that are changed too.
 * @returns Lets them go on; again does nothing.
 * @throws KlausError `sandbox.failed` when one cannot be stopped.
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
      throw new KlausError('sandbox.failed', `a command at work in ${folders.join(' or ')} could not be paused`);
    }
  }
  return resume;
}

/** The commands at work in some folders, in what these hold and in what holds them. */
export function listRunning(home: string, folders: readonly string[]): RunningCommand[] {
  const folder = toFolder(home);
  return readNames(folder).flatMap((name) => {
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
  try {
    const { workspace, ...command } = JSON.parse(readFileSync(file, 'utf8')) as RunningCommand & { workspace?: string };
    // An earlier version names the workspace alone.
    return workspace === undefined ? command : { ...command, folders: [workspace] };
  } catch {
    return undefined;
  }
}

function readNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function toFolder(home: string): string {
  return join(home, 'running');
}
