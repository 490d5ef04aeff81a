import { allowsAccess } from '../../policy/index.ts';
import { toCommandView } from '../calls/gate-context.ts';
import { findProtectedHookFiles } from '../hooks/hook-files.ts';
import type { Work } from '../loop/work.ts';
import type { AgentProcess } from '../ports/runner.ts';
import type { ExecRequest, ExecResult } from '../ports/sandbox.ts';
import { openedOf } from '../state/state.ts';
import { limitSandbox } from '../loop/limit-sandbox.ts';

/** Limits of the agent's process, where the settings have lower ones. It is a program with a runtime of its own. */
const LEAST = { memoryMb: 4_096, processes: 1_024 };
/** More than any machine has: the user's own program in the terminal is not limited. */
const UNLIMITED = { memoryMb: 2 ** 30, processes: 2 ** 22, cpus: 1_024 };
/** Longer than any turn; the driver reduces it to what it can measure. */
const NO_TIMEOUT_MS = Number.MAX_SAFE_INTEGER;
/** A sandbox has all of the network or none of it, and the agent must reach its model. */
const EVERY_HOST = { kind: 'net', host: '*', port: 443 } as const;

/** True if the grant gives the process of an agent the network. */
export function hasNetwork({ authority, engine }: Pick<Work, 'authority' | 'engine'>): boolean {
  return allowsAccess(authority.grant(), EVERY_HOST, engine.clock.now());
}

/**
 * Runs the process of an agent in the sandbox, with the files and the network of the session's grant.
 *
 * @param options.inherits True: it has the terminal of this process and all cores, and on the host no limit at all. Default
 *   false.
 * @param options.writes False: it can change no file. Default true.
 */
export async function runAgentProcess(
  work: Work,
  request: AgentProcess,
  { inherits = false, writes = true }: { inherits?: boolean; writes?: boolean } = {},
): Promise<ExecResult> {
  const { engine, state, session } = work;
  const opened = openedOf(state);
  const { sandbox: name, workspace, runner } = opened;
  const plain = await engine.openSandbox({
    ...{ name, workspace, beside: opened.readable, session },
    ...{ masks: () => work.secrets().files(), protect: () => findProtectedHookFiles(work) },
    ...(runner?.env ? { variables: runner.env } : {}),
  });
  const sandbox = limitSandbox(plain, opened);
  const { memoryMb, processes, cpus } = engine.settings.execLimits;
  const sandboxed = {
    memoryMb: Math.max(memoryMb, LEAST.memoryMb),
    processes: Math.max(processes, LEAST.processes),
    cpus: inherits ? UNLIMITED.cpus : cpus,
  };
  const limits = { timeoutMs: NO_TIMEOUT_MS, ...(inherits && name === 'host' ? UNLIMITED : sandboxed) };
  const network = hasNetwork(work);
  return sandbox.exec({ ...request, ...toAgentView(work, writes), network, limits, keepBytes: 65_536, inherits });
}

/** The files of the agent's process. It may write none where every change has to be approved before. */
function toAgentView(work: Work, writes: boolean): Pick<ExecRequest, 'files' | 'readable' | 'writable'> {
  const view = toCommandView(work);
  const { workspace, patchApproval, isolate } = openedOf(work.state);
  if (writes && work.authority.mode() !== 'plan' && !patchApproval && !isolate) return view;
  const { read = [workspace], write = [] } = view.files ?? {};
  return { ...view, files: { read: [...read, ...write], write: [] }, writable: [] };
}
