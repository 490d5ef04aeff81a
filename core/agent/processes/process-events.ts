import { headOf } from '../../protocol/index.ts';
import { toRelative } from '../../policy/index.ts';
import type { EventBody } from '../../protocol/index.ts';
import { toTextMessage } from '../context/engine-message.ts';
import { PROCESS_REPORT } from '../state/fold-messages.ts';
import type { ProcessStatus } from '../ports/processes.ts';
import { openedOf, type State } from '../state/state.ts';
import type { Work } from '../loop/work.ts';

type Changed = Extract<EventBody, { type: 'process.changed' }>;

/** Characters of a command in a line about it. */
const MAX_COMMAND = 100;

/** Takes over the processes of the former holder of the session. Those that do not survive are ended. */
export async function takeOverProcesses(work: Work): Promise<void> {
  const attached = await work.engine.openProcesses(work.session).takeOver();
  if (attached.length === 0) return;
  const sandbox = await work.sandbox();
  for (const folder of attached) await sandbox.attach?.(folder);
}

/** Records which background processes have ended, and reports it as soon as a message can be added to the history. */
export async function recordProcessEnds(work: Work): Promise<void> {
  const { state, engine, session } = work;
  if (state.processes.size === 0) return;
  const running = [...state.processes.values()].filter(({ last }) => last.state === 'started');
  const processes = running.length > 0 ? engine.openProcesses(session) : undefined;
  const bodies: EventBody[] = running.flatMap(({ id }) => {
    const status = processes?.find(id);
    if (status?.state === 'running') return [];
    return [toEnded(status ?? { id, state: 'lost', reason: 'its files are gone' }, work)];
  });
  // The report is made from the state after these events.
  if (bodies.length > 0) await work.append(bodies);
  const unreported = canReport(state) ? [...state.processes.values()].filter(({ isReported }) => !isReported) : [];
  if (unreported.length === 0) return;
  const text = unreported.map(
    ({ id, last, command }) => `Background process ${id} (${cut(command)}) ${describe(last)}.`,
  );
  const report = { id: `${PROCESS_REPORT}${state.seq + 1}`, origin: 'engine' as const, text: text.join('\n') };
  await work.append([toTextMessage({ run: state.run!.id, turn: state.turn }, report)]);
}

/** True between two requests of a run, when all results are in the history. */
function canReport({ run, calls, openTurn, messages }: State): boolean {
  if (!run || calls.length > 0 || openTurn) return false;
  // After the last words of a run no request follows. The next run starts with the report.
  return messages.at(-1)?.role !== 'assistant';
}

function describe({ state, exitCode, reason }: Changed): string {
  const code = exitCode === undefined ? '' : ` with code ${exitCode}`;
  if (state === 'started') return 'runs';
  if (state === 'exited') return `exited${code}`;
  if (state === 'stopped') return `was stopped: ${reason ?? 'by the user'}`;
  return `ended, and its exit code is unknown: ${reason ?? 'it was not recorded'}`;
}

function toEnded(
  status: Pick<ProcessStatus, 'id' | 'state' | 'reason'> & Partial<ProcessStatus>,
  { state }: Pick<Work, 'state'>,
): Changed {
  const known = state.processes.get(status.id)!;
  const { exitCode, reason } = status;
  const changed = status.state === 'exited' || status.state === 'stopped' ? status.state : 'lost';
  return {
    type: 'process.changed',
    ...(state.run ? { run: state.run.id } : {}),
    process: status.id,
    state: changed,
    command: known.command,
    survives: known.survives,
    ...(typeof exitCode === 'number' && changed === 'exited' ? { exitCode } : {}),
    ...(typeof reason === 'string' ? { reason } : {}),
  };
}

/** The event for a process that a call started or stopped. The result of the call informs the model. */
export function toProcessChanged(status: ProcessStatus, { run, call }: { run: string; call: string }): Changed {
  const { id, state, command, survives, exitCode, reason } = status;
  const base = { type: 'process.changed' as const, run, process: id, command, survives, call };
  if (state === 'running') return { ...base, state: 'started' };
  if (state === 'exited') return { ...base, state, ...(exitCode === null ? {} : { exitCode }) };
  return { ...base, state: state === 'stopped' ? state : 'lost', ...(reason === null ? {} : { reason }) };
}

export function describeStarted({ id, survives }: Pick<ProcessStatus, 'id' | 'survives'>): string {
  const end = survives ? 'It continues after Klaus ends, until it is stopped.' : 'It ends when this Klaus ends.';
  return `Started as background process ${id}. ${end} process_output reads what it writes.`;
}

/** Names of running background processes, of all sessions, that can write to this workspace. */
export function listRunning({ engine, state, session }: Pick<Work, 'engine' | 'state' | 'session'>): string[] {
  const { workspace } = openedOf(state);
  return engine
    .listProcesses()
    .filter((each) => each.state === 'running')
    .filter((each) => isAround(each.workspace, workspace))
    .map((each) => (each.session === session ? each.id : `${each.session}/${each.id}`));
}

function isAround(one: string, other: string): boolean {
  return toRelative(one, other) !== undefined || toRelative(other, one) !== undefined;
}

function cut(command: string): string {
  const line = command.replaceAll(/\s+/g, ' ').trim();
  return line.length <= MAX_COMMAND ? line : `${headOf(line, MAX_COMMAND)}…`;
}
