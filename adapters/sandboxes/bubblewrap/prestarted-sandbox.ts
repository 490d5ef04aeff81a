import { basename } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { ExecLimits, ExecRequest } from '@klaus/core/agent';
import type { Controller } from '../cgroup/cgroup-mounts.ts';
import { listDescendants } from '../process/process-table.ts';
import { toScript } from '../process/prelude.ts';
import type { Launch, WaitingCommand } from '../process/waiting-command.ts';
import { toArguments } from '../paths.ts';
import { discardWhilePaused } from '../protection/close-while-paused.ts';
import type { Protection } from '../protection/protected-folders.ts';
import type { InsideMount } from './mounts/enter-mounts.ts';
import type { Scene, Stage, StageRequest } from './sandbox-plan.ts';

/** The shell of a waiting sandbox reads its command byte by byte. */
const MAX_SCRIPT_BYTES = 8_192;

/** How a sandbox is made. */
export interface Mounts {
  /** Arguments of bubblewrap, without the prelude. */
  args: readonly string[];
  /** What is mounted when it is done. */
  inside: readonly InsideMount[];
}

/** A sandbox that was made before its command is known. */
export interface StartedAhead {
  /** What it was made for, see {@link toKey}. */
  key: string;
  mounts: Mounts;
  /** Of the time when it was made; that of the command takes its place. */
  scene: Scene;
  held: ReadonlySet<Controller>;
  launch: Launch;
  command: WaitingCommand;
}

/** Everything of a request that decides how its sandbox is made, but for what is looked up at its start. */
export function toKey(request: StageRequest, limits: ExecLimits): string {
  const { network = false, env = {}, binds = [], workspaceAt, protect = [], files } = request;
  const { readable = [], writable = [], besideAt = [] } = request;
  const { memoryMb, cpus, processes } = limits;
  const mounts = [binds, workspaceAt, protect, files, readable, writable, besideAt];
  return JSON.stringify([network, env, ...mounts, memoryMb, cpus, processes]);
}

/** The command as a waiting sandbox takes it; undefined for one that has to come as an argument. */
export function toReceivable(request: ExecRequest, cwd: string): string | undefined {
  const script = toScript(cwd, toArguments(request.command), { hasInput: request.stdin !== undefined });
  return Buffer.byteLength(script) > MAX_SCRIPT_BYTES || script.includes('\0') ? undefined : script;
}

/** Names of what is held in git folders and in workspaces whatever they hold; states of a workspace leave it out. */
const UNSEEN = new Set(['.klaus', 'commondir', 'hooks']);

/**
 * True when nothing else is held at places that are missing: it would be there when the state of the workspace before
 * the command is kept.
 */
export function isUnseen(protection: Protection | undefined): boolean {
  return protection?.held.every((path) => UNSEEN.has(basename(path))) ?? true;
}

/** True when a sandbox made now would be the same. That its mounts are still there is looked at last, see `checkMounts`. */
export function isCurrent(ahead: StartedAhead, stage: Stage, mounts: Mounts): boolean {
  const { pid } = ahead.command;
  if (pid === undefined || listDescendants(pid).length === 0) return false;
  return isDeepStrictEqual(mounts, ahead.mounts) && isDeepStrictEqual(stage.passed, ahead.scene.passed);
}

/** Where something must be mounted. */
export function listTargets({ args, inside }: Mounts): string[] {
  const first = args.flatMap((word, at) => {
    if (/^--(?:ro-|dev-)?bind$/.test(word)) return args[at + 2]!;
    return word === '--tmpfs' ? args[at + 1]! : [];
  });
  return [...first, ...inside.map(({ target }) => target)];
}

/** Ends one that no command needs. Nothing of a command has run in it. */
export async function endAhead(home: string, ahead: StartedAhead): Promise<void> {
  ahead.command.close();
  await ahead.command.exited.catch(() => undefined);
  await ahead.scene.group.close();
  await discardWhilePaused(home, ahead.scene.protection);
}
