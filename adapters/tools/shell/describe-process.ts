import type { ProcessStatus, ToolContext } from '@klaus/core/agent';
import { KlausError } from '@klaus/core/protocol';

/** What became of a process, in a few words for the model. */
export function describeProcess({ state, exitCode, reason, warnings }: ProcessStatus): string {
  const code = exitCode === null ? '' : ` with code ${exitCode}`;
  const what = {
    unstarted: 'never started',
    running: 'running',
    exited: `exited${code}`,
    stopped: `stopped: ${reason ?? 'by the user'}`,
    lost: `gone: ${reason ?? 'it left no exit code'}`,
  }[state];
  return [what, ...warnings].join('; ');
}

/** @throws KlausError `tool.failed` naming those that there are. */
export function findProcess({ processes }: Pick<ToolContext, 'processes'>, id: string): ProcessStatus {
  const status = processes.find(id);
  if (status) return status;
  const known = processes.list().map((each) => each.id);
  const hint = known.length === 0 ? 'None was started in this session.' : `There are ${known.join(', ')}.`;
  throw new KlausError('tool.failed', `There is no background process ${id}.`, { hint });
}
