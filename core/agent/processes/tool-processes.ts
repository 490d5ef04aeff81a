import { optional, KlausError } from '../../protocol/index.ts';
import { toCommandView } from '../calls/command-view.ts';
import type { ToolProcesses } from '../ports/tool.ts';
import { openedOf } from '../state/state.ts';
import type { Work } from '../loop/work.ts';

/** The background processes of a session, as a call may use them. `call` names it: what it starts is found by it. */
export function createToolProcesses(work: Work, call: string): ToolProcesses {
  const { engine, state, session } = work;
  const processes = engine.openProcesses(session);
  const refusal = toRefusal(work);
  return {
    ...processes,
    ...optional({ refusal }),
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
          ...optional({ timeoutMs }),
          ...(memoryMb === undefined ? {} : { memoryMb: Math.min(memoryMb, limits.memoryMb) }),
        },
        ...toCommandView(work),
        signal: work.stop,
      });
      return processes.find(id)!;
    },
  };
}

/** Why no process can go on by itself in this session. */
function toRefusal({ state }: Work): string | undefined {
  const { sandbox, isolate, patchApproval } = openedOf(state);
  if (sandbox !== 'bubblewrap')
    return `A command in the background needs the bubblewrap sandbox, and this session works with ${sandbox}. Run it without background.`;
  const why = isolate
    ? 'the session is isolated'
    : patchApproval
      ? 'every file change needs an approval'
      : state.mode === 'ask'
        ? 'mode ask looks at what a command changed'
        : undefined;
  if (why === undefined) return undefined;
  return `A command in the background is not possible here: ${why} before it is kept, and there is no end at which to look. Run it without background.`;
}
