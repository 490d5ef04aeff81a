import { isDeepStrictEqual } from 'node:util';
import type { ExecLimits, ExecRequest } from '@klaus/core/agent';
import type { Controller } from '../cgroup/cgroup-mounts.ts';
import { listDescendants } from '../process/process-table.ts';
import { toScript } from '../process/prelude.ts';
import type { WaitingCommand } from '../process/waiting-command.ts';
import { toArguments } from '../paths.ts';
import { discardWhilePaused } from '../protection/close-while-paused.ts';
import type { InsideMount } from './mounts/inside-mounts.ts';
import type { SandboxPlan, SandboxRequest, SandboxRun } from './sandbox-plan.ts';

/** The shell of a waiting sandbox reads its command byte by byte. */
const MAX_SCRIPT_BYTES = 8_192;

export interface Mounts {
  /** Arguments of bubblewrap, without the prelude. */
  args: readonly string[];
  /** Mounts that are added after bubblewrap has made its own. */
  inside: readonly InsideMount[];
}

/** A sandbox whose process waits for its command. */
export interface StartedSandbox {
  mounts: Mounts;
  run: SandboxRun;
  controllers: ReadonlySet<Controller>;
  command: WaitingCommand;
}

/** A sandbox that was started before its command is known. The plan of the command later replaces that of its run. */
export interface PrestartedSandbox extends StartedSandbox {
  /** Identifies the requests that it can serve, see {@link toKey}. */
  key: string;
}

/** The parts of a request that decide how its sandbox is made, except those that are read again at its start. */
export function toKey(request: SandboxRequest, limits: ExecLimits): string {
  const { network = false, env = {}, binds = [], workspaceAt, protect = [], files } = request;
  const { readable = [], writable = [], besideAt = [], inherits = false, onlyReads = false, relay } = request;
  const { memoryMb, cpus, processes } = limits;
  const mounts = [binds, workspaceAt, protect, files, readable, writable, besideAt, relay?.folder];
  return JSON.stringify([network, inherits, onlyReads, env, ...mounts, memoryMb, cpus, processes]);
}

/** The request of a sandbox that serves the next command of this kind, which only reads. */
export function toReading({ env, binds, limits }: ExecRequest): SandboxRequest {
  return { command: [], env, binds, limits, onlyReads: true };
}

/** The script that a waiting sandbox reads; undefined for a command that has to be passed as an argument. */
export function toStartScript(request: ExecRequest, cwd: string): string | undefined {
  const script = toScript(cwd, toArguments(request), {
    hasInput: request.stdin !== undefined || request.inherits === true,
  });
  return Buffer.byteLength(script) > MAX_SCRIPT_BYTES || script.includes('\0') ? undefined : script;
}

/** True when a new sandbox would be the same. `checkMounts` verifies later that its mounts still exist. */
export function isCurrent(prestarted: PrestartedSandbox, plan: SandboxPlan, mounts: Mounts): boolean {
  const { pid } = prestarted.command;
  if (pid === undefined || listDescendants(pid).length === 0) return false;
  return isDeepStrictEqual(mounts, prestarted.mounts) && isDeepStrictEqual(plan.passed, prestarted.run.passed);
}

export function listTargets({ args, inside }: Mounts): string[] {
  const first = args.flatMap((word, at) => {
    if (/^--(?:ro-|dev-)?bind$/.test(word)) return args[at + 2]!;
    return word === '--tmpfs' ? args[at + 1]! : [];
  });
  return [...first, ...inside.map(({ target }) => target)];
}

/** Ends a sandbox in which no command has run. */
export async function endPrestarted(home: string, { command, run }: StartedSandbox): Promise<void> {
  command.close();
  await command.exited.catch(() => undefined);
  await command.request.waitForEnd?.();
  await run.group.close();
  await discardWhilePaused(home, run.protection);
}
