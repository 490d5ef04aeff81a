import { setTimeout as sleep } from 'node:timers/promises';
import { isKlausError, KlausError } from '@klaus/core/protocol';
import type { Controller } from '../cgroup/cgroup-mounts.ts';
import type { ResourceGroup } from '../cgroup/resource-group.ts';
import { RELAY_LINES } from '../network/relay.ts';
import { toArguments } from '../paths.ts';
import { toPrelude, toUnenforced } from '../process/prelude.ts';
import { listDescendants, readProcess, sendSignal, type ProcessRow } from '../process/process-table.ts';
import { noteRunning } from '../process/running-commands.ts';
import type { Launch } from '../process/waiting-command.ts';
import type { SandboxOptions } from '../sandbox-options.ts';
import { findForeignMount } from './mounts/check-mounts.ts';
import { toOmitted, type ControlName } from './controls.ts';
import type { InsideMount } from './mounts/enter-mounts.ts';
import { mountInside, toInsideWords } from './mounts/inside-mounts.ts';
import { MaskWatch } from './mounts/mask-watch.ts';
import type { Scene, Stage, StageRequest } from './sandbox-plan.ts';

const SETTLE_TRIES = 200;
/** What is said when a place that was to be mounted has gone meanwhile, or another one is there. */
const GONE =
  /Can't (?:bind mount|find source path|mkdir|create file).*No such file or directory|was replaced while|could not be paused|could not be mounted inside|ended before the command began/s;

export interface LaunchOptions {
  /** The program bwrap. */
  file: string;
  /** Its arguments, with the command's. */
  words: readonly string[];
  /** What is mounted when bubblewrap is done. */
  inside: readonly InsideMount[];
  options: SandboxOptions;
  filter: Uint8Array | undefined;
  without: ReadonlySet<ControlName>;
}

/**
 * Arguments of bubblewrap with the command's, and what the control group holds.
 *
 * @param how.before Shell lines just before the command. `receives`: the command comes later.
 */
export function toWords(
  { request, limits, cwd, gateway }: Stage,
  how: {
    group: ResourceGroup;
    args: readonly string[];
    without: ReadonlySet<ControlName>;
    before?: readonly string[];
    receives?: boolean;
  },
): { words: string[]; held: Set<Controller> } {
  const { group, args, without, before = [], receives = false } = how;
  const held = new Set([...group.controllers, ...toOmitted(without)]);
  const closesChannel = !without.has('closed-channel');
  const lines = gateway ? [...RELAY_LINES, ...before] : before;
  const prelude = toPrelude({ limits, held, before: lines, closesChannel, receives });
  const command = receives ? [] : [cwd, ...toArguments(request.command)];
  return { words: [...args, '--', '/bin/sh', '-c', prelude, 'klaus', ...command], held };
}

/** How a command is started and ended. What changes in `scene` before "go" counts. */
export function toLaunch(scene: Scene, { file, words, inside, options, filter, without }: LaunchOptions): Launch {
  const { group } = scene;
  let init: ProcessRow | undefined;
  let watch: MaskWatch | undefined;
  let forget: (() => void) | undefined;
  const kill = (pid: number) => {
    if (init && readProcess(init.pid)?.startTime === init.startTime) sendSignal(init.pid, 'SIGKILL');
    sendSignal(pid, 'SIGKILL');
    if (!without.has('group-end')) group.kill();
  };
  return {
    file,
    args: words,
    env: without.has('clear-environment') ? process.env : scene.passed.variables,
    gate: 'descriptor',
    feeds: filter ? [filter] : [],
    onSpawn: (pid) => group.enter(pid),
    onWaiting: async (pid) => {
      const members = listDescendants(pid);
      init = members[0] === undefined ? undefined : readProcess(members[0]);
      await Promise.all([
        group.add([pid, ...members]),
        init && inside.length > 0 ? mountInside(init.pid, inside) : undefined,
      ]);
    },
    onReady: (pid) => {
      checkMounts(init?.pid, scene, [...words, ...toInsideWords(scene.project, inside)]);
      forget = noteInit(init?.pid, { group: group.freezable, options, request: scene.request });
      scene.resume();
      if (init && options.masks) watch = watchMasks(scene, { pid, inside: init.pid, kill });
    },
    terminate(pid) {
      // The first process inside ignores it, and bubblewrap itself would take the rest down at once.
      for (const member of listDescendants(pid)) sendSignal(member, 'SIGTERM');
    },
    kill,
    async settle() {
      await watch?.close();
      forget?.();
      // With its first process a process namespace ends, and that one is gone last.
      for (let attempt = 0; init && attempt < SETTLE_TRIES; attempt++) {
        const row = readProcess(init.pid);
        if (!row || row.ended || row.startTime !== init.startTime) return;
        await sleep(attempt < 20 ? 1 : 10);
      }
    },
  };
}

/** Notes a command by its first process, see {@link noteRunning}. */
export function noteInit(
  init: number | undefined,
  {
    group,
    options: { home, workspace },
    request: { writable = [] },
  }: {
    group: string | undefined;
    options: Pick<SandboxOptions, 'home' | 'workspace'>;
    request: Pick<StageRequest, 'writable'>;
  },
): (() => void) | undefined {
  const row = init === undefined ? undefined : readProcess(init);
  const folders = [workspace, ...writable];
  return row && noteRunning(home, { pid: row.pid, startTime: row.startTime, folders, group });
}

/** @throws KlausError `sandbox.failed` before the command has begun. */
export function checkMounts(
  init: number | undefined,
  { request, view, protection, expected }: Pick<Scene, 'request' | 'view' | 'protection' | 'expected'>,
  words: readonly string[],
): void {
  const external = (protection?.external ?? []).map(({ target }) => target);
  const look = { view, folders: [view.target, ...(request.readable ?? []), ...external], words, expected };
  const isGone = init === undefined || (expected !== undefined && readProcess(init) === undefined);
  const place = isGone ? view.target : findForeignMount(init, look);
  if (place !== undefined) throw new KlausError('sandbox.failed', `${place} was replaced while the sandbox was made`);
}

function watchMasks(scene: Scene, at: { pid: number; inside: number; kill: (pid: number) => void }): MaskWatch {
  return new MaskWatch({
    pid: at.inside,
    view: scene.view,
    folder: scene.group.freezable,
    members: () => listDescendants(at.pid),
    masks: async () => (await scene.readMasks()).masks,
    onFailure: (reason) => {
      scene.failure = reason;
      at.kill(at.pid);
    },
  });
}

/** True when another process took away what it had held at a protected place, before the command began. */
export function isPlaceGone(error: unknown): boolean {
  return isKlausError(error) && error.code === 'sandbox.failed' && GONE.test(error.message);
}

/** What is not, or only partly, enforced; each with the reason. */
export function listUnenforced(held: ReadonlySet<Controller>, hasFilter: boolean): string[] {
  const unenforced = toUnenforced(held, process.getuid?.() === 0);
  return hasFilter ? unenforced : [...unenforced, `system calls: there is no filter for ${process.arch}`];
}
