import { formatUsd } from '@klaus/sdk/format';
import { toLine } from '@klaus/sdk/printable';
import type { SessionState, SessionStateName, SessionStates } from '@klaus/sdk/session-states';
import type { Paint } from '../output/paint.ts';
import { SHORT_ID, toShortId } from '../output/short-id.ts';

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

/** Sessions whose need is known. */
const MAX_NEEDING = 1_000;
const STATE_WIDTH = 11;
const AGENT_WIDTH = 12;
const COST_WIDTH = 8;

/** A session, and whether it is in the list of what needs the user. */
export interface BoardSession extends SessionState {
  needsYou: boolean;
}

export interface BoardSessions {
  /** Those that need the user first, then by state; within a state the newest first. */
  sessions: BoardSession[];
  /** How many sessions of all folders need the user. */
  needing: number;
}

/** What the board shows. */
export function readBoard(states: SessionStates, limit: number): BoardSessions {
  const { items, counts } = states.attention({ limit: MAX_NEEDING });
  const needing = new Set(items.map(({ session }) => session));
  const order = ({ needsYou, state }: BoardSession): number => (needsYou ? 0 : ORDER.length) + ORDER.indexOf(state);
  const listed = states.list({ limit }).map((session) => ({ ...session, needsYou: needing.has(session.id) }));
  const unlisted = counts.answer + counts.failed + counts.done - items.length;
  return { sessions: listed.toSorted((a, b) => order(a) - order(b)), needing: needing.size + unlisted };
}

/** What a row shows at its end: what the session waits for, why it cannot run, or its last line. */
export function toRemark({ waitsFor, problem, lastLine, title, firstPrompt }: SessionState): string {
  const [asked] = waitsFor;
  if (asked !== undefined) return `waits for: ${asked.title}`;
  return problem?.message ?? lastLine ?? title ?? firstPrompt ?? '';
}

export interface BoardView {
  board: BoardSessions;
  /** Index of the chosen row. */
  chosen: number;
  columns: number;
  rows: number;
  /** The last line: what the keys do, or the result of one. */
  note: string;
  paint: Paint;
}

/** The lines of the board, at most `rows`, each at most `columns` characters. */
export function toBoardLines({ board, chosen, columns, rows, note, paint }: BoardView): string[] {
  const { sessions, needing } = board;
  const room = Math.max(1, rows - 3);
  const first = Math.max(0, Math.min(chosen - Math.floor(room / 2), sessions.length - room));
  const running = sessions.filter(({ state }) => state === 'running').length;
  const head = `${sessions.length} ${sessions.length === 1 ? 'session' : 'sessions'}, ${running} running, ${needing} need you`;
  const shown = sessions.slice(first, first + room).map((session, at) => {
    const { id, state, agent, costUsd, needsYou } = session;
    const isChosen = first + at === chosen;
    const cells = [
      `${isChosen ? '>' : ' '}${needsYou ? '!' : ' '}${toShortId(id)}`,
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
