import type { ProcessStatus, ToolContext } from '@klaus/core/agent';
import { toolFailed } from '../tool-failed.ts';

/** The state of a process in a few words, for the model. */
export function describeProcess({ state, exitCode, reason, warnings }: ProcessStatus): string {
  const code = exitCode === null ? '' : ` with code ${exitCode}`;
  const what = {
    unstarted: 'never started',
    running: 'running',
    exited: `exited${code}`,
    stopped: `stopped: ${reason ?? 'by the user'}`,
    lost: `lost: ${reason ?? 'no exit code was recorded'}`,
  }[state];
  return [what, ...warnings].join('; ');
}

/** @throws KlausError `tool.failed` with the existing processes. */
export function findProcess({ processes }: Pick<ToolContext, 'processes'>, id: string): ProcessStatus {
  const status = processes.find(id);
  if (status) return status;
  const known = processes.list().map((each) => each.id);
  const hint = known.length === 0 ? 'This session has started none.' : `The processes are ${known.join(', ')}.`;
  throw toolFailed(`There is no background process ${id}.`, { hint });
}
