import type { ProcessStatus } from '@klaus/core/agent';
import type { EventOf } from '@klaus/core/protocol';

/** A change of a background process in one line. */
export function describeProcessChange(event: EventOf<'process.changed'>): string {
  const { process: id, state, command, survives, exitCode, reason } = event;
  const what = `background process ${id}`;
  if (state === 'started') return `${what} started${survives ? ', to survive' : ''}: ${command}`;
  if (state === 'exited') return `${what} exited${exitCode === undefined ? '' : ` with code ${exitCode}`}: ${command}`;
  if (state === 'stopped') return `${what} stopped, ${reason ?? 'by the user'}: ${command}`;
  return `${what} is gone, ${reason ?? 'it left no exit code'}: ${command}`;
}

/** The present status of a process in a few words. */
export function describeProcessState({ state, exitCode, reason }: ProcessStatus): string {
  if (state === 'exited') return `exit ${exitCode ?? '?'}`;
  return state === 'stopped' || state === 'lost' ? `${state} (${reason ?? 'unknown'})` : state;
}
