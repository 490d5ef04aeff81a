import { toRelative } from '../../policy/index.ts';
import type { EventBody } from '../../protocol/index.ts';
import { PROCESS_REPORT } from '../state/fold-messages.ts';
import type { ProcessStatus } from '../ports/processes.ts';
import { openedOf, type State } from '../state/state.ts';
import type { Work } from '../loop/work.ts';

type Changed = Extract<EventBody, { type: 'process.changed' }>;

/** Characters of a command in a line about it. */
const MAX_COMMAND = 100;

/** For who has just taken a session: nothing of an earlier holder goes on but what was marked to. */
export async function takeOverProcesses(work: Work): Promise<void> {
  const attached = await work.engine.openProcesses(work.session).takeOver();
  if (attached.length === 0) return;
  const sandbox = await work.sandbox();
  for (const folder of attached) await sandbox.attach?.(folder);
}

/**
 * Takes into the log what became of processes that were running when it was last looked, and tells the model as soon
 * as a message may stand in the history. Costs nothing without background processes.
 */
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
  // Told from the state behind these events: they may be the news.
  if (bodies.length > 0) await work.append(bodies);
  const news = canReport(state) ? [...state.processes.values()].filter(({ isReported }) => !isReported) : [];
  if (news.length === 0) return;
  const text = news.map(({ id, last, command }) => `Background process ${id} (${cut(command)}) ${describe(last)}.`);
  await work.append([
    {
      type: 'message.added',
      run: state.run!.id,
      turn: state.turn,
      message: {
        id: `${PROCESS_REPORT}${state.seq + 1}`,
        role: 'user',
        origin: 'engine',
        parts: [{ type: 'text', text: text.join('\n') }],
      },
    },
  ]);
}

/** Between two requests, with all results in the history, of a run that goes on. */
function canReport({ run, calls, openTurn, messages }: State): boolean {
  if (!run || calls.length > 0 || openTurn) return false;
  // After its last words there is no request that would read it; the next run begins with it.
  return messages.at(-1)?.role !== 'assistant';
}

function describe({ state, exitCode, reason }: Changed): string {
  const code = exitCode === undefined ? '' : ` with code ${exitCode}`;
  if (state === 'started') return 'runs';
  if (state === 'exited') return `exited${code}`;
  if (state === 'stopped') return `was stopped: ${reason ?? 'by the user'}`;
  return `is gone, and how it ended is not known: ${reason ?? 'it left no exit code'}`;
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

/** What a call did to a process: its result tells the model, so nobody else has to. */
export function toProcessChanged(status: ProcessStatus, { run, call }: { run: string; call: string }): Changed {
  const { id, state, command, survives, exitCode, reason } = status;
  const base = { type: 'process.changed' as const, run, process: id, command, survives, call };
  if (state === 'running') return { ...base, state: 'started' };
  if (state === 'exited') return { ...base, state, ...(exitCode === null ? {} : { exitCode }) };
  return { ...base, state: state === 'stopped' ? state : 'lost', ...(reason === null ? {} : { reason }) };
}

/** The result of a call that started a process. */
export function describeStarted({ id, survives }: Pick<ProcessStatus, 'id' | 'survives'>): string {
  const end = survives ? 'It goes on when Klaus ends, until it is stopped.' : 'It ends when this Klaus ends.';
  return `Started as background process ${id}. ${end} process_output reads what it writes.`;
}

/** Names of background processes, of this session or another, that can write in this workspace at this moment. */
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
  return line.length <= MAX_COMMAND ? line : `${line.slice(0, MAX_COMMAND)}…`.toWellFormed();
}
