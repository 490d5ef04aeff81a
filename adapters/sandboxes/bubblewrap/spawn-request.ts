import { setTimeout as sleep } from 'node:timers/promises';
import { isKlausError, KlausError } from '@klaus/core/protocol';
import type { Controller } from '../cgroup/cgroup-mounts.ts';
import type { ResourceGroup } from '../cgroup/resource-group.ts';
import { listenInside } from '../network/open-listener.ts';
import { RELAY_LINES } from '../network/relay.ts';
import { toArguments } from '../paths.ts';
import { toPrelude, toUnenforced } from '../process/prelude.ts';
import { listDescendants, readProcess, sendSignal, type ProcessRow } from '../process/process-table.ts';
import { registerRunning } from '../process/running-commands.ts';
import { prepareCalls } from '../process/system-calls.ts';
import type { SpawnRequest } from '../process/waiting-command.ts';
import type { SandboxOptions } from '../sandbox-options.ts';
import { findForeignMount } from './mounts/check-mounts.ts';
import { toOmitted, type ControlName } from './controls.ts';
import { mountInside, toInsideWords, type InsideMount } from './mounts/inside-mounts.ts';
import { MaskWatch } from './mounts/mask-watch.ts';
import type { SandboxRun, SandboxPlan, SandboxRequest } from './sandbox-plan.ts';
import type { PlannerOptions } from './sandbox-planner.ts';

const END_TRIES = 200;
/** Errors of a mount source or mount point that was removed or replaced while the sandbox was made. */
const RETRYABLE =
  /Can't (?:bind mount|find source path|mkdir|create file).*No such file or directory|was replaced while|could not be paused|could not be mounted inside|could not listen inside|ended before the command began/s;

export interface SpawnOptions extends Pick<PlannerOptions, 'filter' | 'sandbox' | 'without'> {
  file: string;
  /** Arguments of bwrap, with those of the command. */
  words: readonly string[];
  /** Mounts that are added after bubblewrap has made its own. */
  inside: readonly InsideMount[];
}

/**
 * The arguments of bubblewrap with those of the command, and the controllers that the control group enforces.
 *
 * @param how.before Shell lines just before the command.
 * @param how.receivesCommand True: the command is sent later. Default false.
 */
export function toCommandLine(
  { request, limits, cwd, gateway, listensInside }: SandboxPlan,
  how: {
    group: ResourceGroup;
    args: readonly string[];
    without: ReadonlySet<ControlName>;
    before?: readonly string[];
    receivesCommand?: boolean;
  },
): { words: string[]; controllers: Set<Controller> } {
  const { group, args, without, before = [], receivesCommand = false } = how;
  const controllers = new Set([...group.controllers, ...toOmitted(without)]);
  const closesChannel = !without.has('closed-channel');
  const lines = gateway && !listensInside ? [...RELAY_LINES, ...before] : before;
  const prelude = toPrelude({ limits, controllers, before: lines, closesChannel, receivesCommand });
  const command = receivesCommand ? [] : [cwd, ...toArguments(request)];
  return { words: [...args, '--', '/bin/sh', '-c', prelude, 'klaus', ...command], controllers };
}

/** How the process of a sandbox is started and ended. Changes of `run` before "go" take effect. */
export function toSpawnRequest(
  run: SandboxRun,
  { file, words, inside, sandbox, filter, without }: SpawnOptions,
): SpawnRequest {
  const { group } = run;
  let init: ProcessRow | undefined;
  let watch: MaskWatch | undefined;
  let unregister: (() => void) | undefined;
  let listener: { close?(): void } | undefined;
  const kill = (pid: number) => {
    if (init && readProcess(init.pid)?.startTime === init.startTime) sendSignal(init.pid, 'SIGKILL');
    sendSignal(pid, 'SIGKILL');
    if (!without.has('group-end')) group.kill();
  };
  const serve = async (opened: unknown, pid: number): Promise<void> => {
    // The command starts first: connections wait in the listening socket.
    await Promise.resolve();
    await run.gateway?.serve(opened).catch((error: unknown) => {
      run.failure = `network: the command was ended because its gateway could not be started: ${String(error)}`;
      kill(pid);
    });
  };
  return {
    file,
    args: words,
    env: without.has('clear-environment') ? process.env : run.passed.variables,
    startPipe: 'descriptor',
    feeds: filter ? [filter] : [],
    onSpawn(pid) {
      if (inside.length > 0 || (run.gateway && run.listensInside)) prepareCalls();
      return group.enter(pid);
    },
    onWaiting: async (pid) => {
      const members = listDescendants(pid);
      init = members[0] === undefined ? undefined : readProcess(members[0]);
      await Promise.all([
        group.add([pid, ...members]),
        init && inside.length > 0 ? mountInside(init.pid, inside) : undefined,
        init && run.gateway && run.listensInside
          ? listenInside(init.pid).then((opened) => void (listener = opened as typeof listener))
          : undefined,
      ]);
    },
    onReady: (pid) => {
      checkMounts(init?.pid, run, [...words, ...toInsideWords(run.project, inside)]);
      unregister = registerInit(init?.pid, sandbox, { ...run.request, group: group.freezable });
      run.resume();
      if (listener) void serve(listener, pid);
      listener = undefined;
      if (init && sandbox.masks) watch = watchMasks(run, { pid, inside: init.pid, kill });
    },
    terminate(pid) {
      // The init process ignores SIGTERM, and bubblewrap itself would end all others at once.
      for (const member of listDescendants(pid)) sendSignal(member, 'SIGTERM');
    },
    kill,
    async waitForEnd() {
      await watch?.close();
      unregister?.();
      listener?.close?.();
      listener = undefined;
      // A pid namespace ends with its init process, which exits last.
      for (let attempt = 0; init && attempt < END_TRIES; attempt++) {
        const row = readProcess(init.pid);
        if (!row || row.ended || row.startTime !== init.startTime) return;
        await sleep(attempt < 20 ? 1 : 10);
      }
    },
  };
}

export function registerInit(
  init: number | undefined,
  { home, workspace }: SandboxOptions,
  { writable = [], group }: Pick<SandboxRequest, 'writable'> & { group: string | undefined },
): (() => void) | undefined {
  const row = init === undefined ? undefined : readProcess(init);
  const folders = [workspace, ...writable];
  return row && registerRunning(home, { pid: row.pid, startTime: row.startTime, folders, group });
}

/** @throws KlausError `sandbox.failed` before the command has begun. */
export function checkMounts(
  init: number | undefined,
  { request, view, protection, expected }: Pick<SandboxRun, 'request' | 'view' | 'protection' | 'expected'>,
  words: readonly string[],
): void {
  const external = (protection?.external ?? []).map(({ target }) => target);
  const expectation = { view, folders: [view.target, ...(request.readable ?? []), ...external], words, expected };
  const isGone = init === undefined || (expected !== undefined && readProcess(init) === undefined);
  const changed = isGone ? view.target : findForeignMount(init, expectation);
  if (changed !== undefined)
    throw new KlausError('sandbox.failed', `${changed} was replaced while the sandbox was made`);
}

function watchMasks(run: SandboxRun, at: { pid: number; inside: number; kill: (pid: number) => void }): MaskWatch {
  return new MaskWatch({
    pid: at.inside,
    view: run.view,
    folder: run.group.freezable,
    members: () => listDescendants(at.pid),
    masks: async () => (await run.readMasks()).masks,
    onFailure: (reason) => {
      run.failure = `masks: the command was ended because a secret file could not be hidden from it: ${reason}`;
      at.kill(at.pid);
    },
  });
}

/** True when a path was removed or replaced before the command began: a new attempt can succeed. */
export function isRetryable(error: unknown): boolean {
  return isKlausError(error) && error.code === 'sandbox.failed' && RETRYABLE.test(error.message);
}

/** The limits that are not or only partly enforced, each with the reason. */
export function listUnenforced(controllers: ReadonlySet<Controller>, hasFilter: boolean): string[] {
  const unenforced = toUnenforced(controllers, process.getuid?.() === 0);
  return hasFilter ? unenforced : [...unenforced, `system calls: there is no filter for ${process.arch}`];
}
