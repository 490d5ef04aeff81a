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
import { writeJson } from './process-files.ts';
import type { ProcessName } from './process-files.ts';
import { isAlive } from './process-status.ts';

/** What this Klaus holds for a background process: the watch over its masks, its end. */
export interface Watched {
  /** Lets go of it; the process goes on. */
  release(): Promise<void>;
  /** Resolves when it has ended and what it leaned on is given back. False: it is not a child of this Klaus. */
  waitForEnd(): Promise<boolean>;
}

/** By the folder of the process. One map for the program: a session's next run has another sandbox object. */
export const watched = new Map<string, Watched>();

/** Of the control group of a process: no sweep for leftovers takes it for one. */
export function toGroupName(folder: string): string {
  return `${basename(dirname(folder))}-${basename(folder)}`;
}

/** True for the folder of a version 2 group. */
export function isFreezable(folder: string): boolean {
  return existsSync(join(folder, 'cgroup.freeze'));
}

export interface WatchOptions {
  /** First process in the sandbox. */
  init: ProcessName;
  view: WorkspaceView;
  /** Folder of a control group that can be frozen. */
  group?: string | undefined;
  readMasks: () => Promise<MaskSelection>;
}

/** Keeps secret files hidden from a background process for as long as this Klaus lives. */
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
      writeFileSync(join(folder, 'stop'), `a secret file could not be hidden from it: ${reason}\n`, { mode: 0o600 });
      sendSignal(init.pid, 'SIGKILL');
    },
  });
}

export interface WatchedParts {
  /** The shell over the process, where this Klaus started it. */
  child?: ChildProcess | undefined;
  watch?: MaskWatch | undefined;
  protection?: Protection | undefined;
  group?: ResourceGroup | undefined;
}

/** Remembers what is held for a process, and gives it back at its end. */
export function watchProcess(folder: string, { child, watch, protection, group }: WatchedParts): void {
  const settled = child && closeAtExit(folder, { child, watch, protection, group });
  // Whoever waits for it is told; where nobody does, the next holder of the session settles what is left.
  settled?.catch(() => {});
  watched.set(folder, {
    async release() {
      watched.delete(folder);
      await watch?.close();
    },
    async waitForEnd() {
      // It does not keep the program from ending, and here somebody waits for its end.
      child?.ref();
      await settled;
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
  // The folder is gone when its session was deleted.
  if (existsSync(folder)) {
    warnings.push(...(await closeWhilePaused(resolve(folder, '../../..'), protection)));
    if (warnings.length > 0) writeJson(join(folder, 'warnings.json'), warnings);
    rmSync(join(folder, 'protection.json'), { force: true });
  } else protection?.close();
  watched.delete(folder);
}
