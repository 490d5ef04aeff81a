import type { ChildProcess } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { basename, dirname, join, resolve } from 'node:path';
import type { ResourceGroup } from '../cgroup/resource-group.ts';
import { MaskWatch } from '../bubblewrap/mounts/mask-watch.ts';
import { listDescendants, sendSignal } from '../process/process-table.ts';
import { closeWhilePaused } from '../protection/close-while-paused.ts';
import type { MaskSelection } from '../protection/masks.ts';
import type { Protection } from '../protection/protected-folders.ts';
import type { WorkspaceView } from '../view.ts';
import { writeJson, type ProcessName } from './process-files.ts';
import { isAlive } from './process-status.ts';

/** The resources of this Klaus process for a background process. */
export interface Watched {
  /** Stops watching; the process continues. */
  release(): Promise<void>;
  /** Resolves when the process has ended and its resources are released. False if it is not a child of this process. */
  waitForEnd(): Promise<boolean>;
}

/** Watched processes by folder, shared by all sandboxes: the next run of a session has another sandbox object. */
export const watched = new Map<string, Watched>();

/** Name of the control group of a process, which the removal of stale groups ignores. */
export function toGroupName(folder: string): string {
  return `${basename(dirname(folder))}-${basename(folder)}`;
}

/** True for a version 2 control group. */
export function isFreezable(folder: string): boolean {
  return existsSync(join(folder, 'cgroup.freeze'));
}

export interface WatchOptions {
  init: ProcessName;
  view: WorkspaceView;
  /** Folder of a control group that can be frozen. */
  group?: string;
  readMasks: () => Promise<MaskSelection>;
}

/** Hides secret files from a background process while this Klaus process runs. */
export function watchInBackground(folder: string, { init, view, group, readMasks }: WatchOptions): MaskWatch {
  return new MaskWatch({
    pid: init.pid,
    view,
    folder: group,
    members: () => (isAlive(init) ? listDescendants(init.pid) : []),
    masks: async () => (isAlive(init) ? (await readMasks()).masks : []),
    idle: true,
    onFailure: (reason) => {
      if (!isAlive(init)) return;
      writeFileSync(join(folder, 'stop'), `a secret file could not be hidden: ${reason}\n`, { mode: 0o600 });
      sendSignal(init.pid, 'SIGKILL');
    },
  });
}

export interface WatchedParts {
  /** The supervising shell, if this Klaus process started it. */
  child?: ChildProcess;
  watch?: MaskWatch;
  protection?: Protection;
  group?: ResourceGroup;
}

/** Registers the resources of a process and releases them at its end. */
export function watchProcess(folder: string, { child, watch, protection, group }: WatchedParts): void {
  const closed = child && closeAtExit(folder, { child, watch, protection, group });
  // `waitForEnd` reports a failure. Without a caller, the next process that opens the session closes the rest.
  closed?.catch(() => {});
  watched.set(folder, {
    async release() {
      watched.delete(folder);
      await watch?.close();
    },
    async waitForEnd() {
      // While a caller waits, the child keeps this process running.
      child?.ref();
      await closed;
      if (!child) await this.release();
      return child !== undefined;
    },
  });
}

async function closeAtExit(folder: string, parts: WatchedParts & { child: ChildProcess }): Promise<void> {
  const { child, watch, protection, group } = parts;
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  await watch?.close();
  const warnings = (group?.exceeded() ?? []).map((limit) => `limit reached: ${limit}`);
  await group?.close();
  // The folder does not exist if the session was deleted.
  if (existsSync(folder)) {
    warnings.push(...(await closeWhilePaused(resolve(folder, '../../..'), protection)));
    if (warnings.length > 0) writeJson(join(folder, 'warnings.json'), warnings);
    rmSync(join(folder, 'protection.json'), { force: true });
  } else protection?.close();
  watched.delete(folder);
}
