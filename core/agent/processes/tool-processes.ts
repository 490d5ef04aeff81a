import { optional, KlausError } from '../../protocol/index.ts';
import { toCommandView } from '../calls/gate-context.ts';
import type { ToolProcesses } from '../ports/tool.ts';
import { openedOf } from '../state/state.ts';
import type { Work } from '../loop/work.ts';

/**
 * The background processes of a session for a call. Processes that it starts are recorded under the id `call`.
 *
 * @param onNetwork Called with the command of one that has the network.
 */
export function createToolProcesses(work: Work, call: string, onNetwork: (command: string) => void): ToolProcesses {
  const { engine, state, session } = work;
  const processes = engine.openProcesses(session);
  const refusal = toRefusal(work);
  return {
    ...processes,
    refusal,
    async start(request) {
      if (refusal !== undefined) throw new KlausError('sandbox.unavailable', refusal);
      const { workspace } = openedOf(state);
      const sandbox = await work.sandbox();
      const { command, cwd, survives, timeoutMs, memoryMb, network } = request;
      const attempt = state.calls.find((each) => each.id === call)?.started?.attempt ?? 1;
      const { id, folder } = processes.reserve({ command, cwd, survives, timeoutMs, workspace, call, attempt });
      const { timeoutMs: _, ...limits } = engine.settings.execLimits;
      await sandbox.start!({
        command,
        cwd,
        network,
        folder,
        survives,
        env: {},
        limits: {
          ...limits,
          ...optional({ timeoutMs, memoryMb: memoryMb && Math.min(memoryMb, limits.memoryMb) }),
        },
        ...toCommandView(work),
        signal: work.stop,
      });
      if (network === true) onNetwork(command);
      return processes.find(id)!;
    },
  };
}

/** Why this session can start no background process. */
function toRefusal({ state }: Work): string | undefined {
  const { sandbox, isolate, patchApproval } = openedOf(state);
  if (sandbox !== 'bubblewrap')
    return `A command in the background needs the bubblewrap sandbox, and this session uses ${sandbox}. Run it without background.`;
  const why = isolate
    ? 'the session is isolated'
    : patchApproval
      ? 'every file change needs an approval'
      : state.mode === 'ask'
        ? 'the changes of a command need an approval in mode ask'
        : undefined;
  if (why === undefined) return undefined;
  return `A command in the background is not possible here: ${why}, and its changes could not be reviewed. Run it without background.`;
}
