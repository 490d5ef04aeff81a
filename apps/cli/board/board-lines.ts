import { formatUsd } from '@klaus/sdk/format';
import { toLine } from '@klaus/sdk/printable';
import type { SessionState, SessionStateName } from '@klaus/sdk/session-states';
import type { Paint } from '../output/paint.ts';

/** What needs a human first. */
const ORDER: readonly SessionStateName[] = ['needs-you', 'running', 'queued', 'interrupted', 'failed', 'done', 'idle'];

const COLORS = {
  'needs-you': 'yellow',
  running: 'cyan',
  queued: 'dim',
  interrupted: 'red',
  failed: 'red',
  done: 'green',
  idle: 'dim',
} as const satisfies Record<SessionStateName, Parameters<Paint>[0]>;

/** Characters of an id that are shown: the time and some of the random part. */
const SHORT_ID = 14;
const STATE_WIDTH = 11;
const AGENT_WIDTH = 12;
const COST_WIDTH = 8;

/** In the order of attention; within a state the newest first. */
export function toBoardOrder(sessions: readonly SessionState[]): SessionState[] {
  return sessions.toSorted((a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state));
}

/** What a row shows at its end: what the session waits for, why it cannot run, or its last line. */
export function toRemark({ waitsFor, problem, lastLine, title, firstPrompt }: SessionState): string {
  const [asked] = waitsFor;
  if (asked !== undefined) return `waits for: ${asked.title}`;
  return problem?.message ?? lastLine ?? title ?? firstPrompt ?? '';
}

export interface BoardView {
  sessions: readonly SessionState[];
  /** Index of the chosen row. */
  chosen: number;
  columns: number;
  rows: number;
  /** The last line: what the keys do, or the result of one. */
  note: string;
  paint: Paint;
}

/** The lines of the board, at most `rows`, each at most `columns` characters. */
export function toBoardLines({ sessions, chosen, columns, rows, note, paint }: BoardView): string[] {
  const room = Math.max(1, rows - 3);
  const first = Math.max(0, Math.min(chosen - Math.floor(room / 2), sessions.length - room));
  const needing = sessions.filter(({ state }) => state === 'needs-you').length;
  const running = sessions.filter(({ state }) => state === 'running').length;
  const head = `${sessions.length} sessions, ${running} running, ${needing} need you`;
  const shown = sessions.slice(first, first + room).map((session, at) => {
    const { id, state, agent, costUsd } = session;
    const isChosen = first + at === chosen;
    const cells = [
      isChosen ? '>' : ' ',
      id.slice(0, SHORT_ID),
      paint(COLORS[state], state.padEnd(STATE_WIDTH)),
      toLine(agent, AGENT_WIDTH).padEnd(AGENT_WIDTH),
      (costUsd === null ? '?' : formatUsd(costUsd)).padStart(COST_WIDTH),
    ];
    const used = 2 + SHORT_ID + 1 + STATE_WIDTH + 1 + AGENT_WIDTH + 1 + COST_WIDTH + 1;
    const line = `${cells.join(' ')} ${toLine(toRemark(session), Math.max(1, columns - used))}`;
    return isChosen ? paint('bold', line) : line;
  });
  const empty = sessions.length === 0 ? ['No sessions. `klaus start AGENT "prompt"` starts one.'] : shown;
  return [toLine(head, columns), ...empty, '', toLine(note, columns)];
}
