import type { SessionStates } from '@klaus/sdk/session-states';
import { messageOf } from '@klaus/sdk/message-of';
import { untilChange } from '../client/follow-states.ts';
import { createPaint } from '../output/paint.ts';
import { out } from '../output/sink.ts';
import { type Keyboard, openKeyboard } from '../prompt/keyboard.ts';
import { type BoardSessions, readBoard, toBoardLines } from './board-lines.ts';

const KEYS = 'j/k choose   Enter open   m message   i interrupt   q leave';

/** The key of a carriage return. */
const ENTER = 'enter';

/** Shows the live board until the user leaves it. */
export async function showBoard(states: SessionStates, { limit }: { limit: number }): Promise<void> {
  const paint = createPaint(out, false);
  let board: BoardSessions = { sessions: [], needing: 0 };
  /** By its id: the order changes. */
  let chosen: string | undefined;
  let note = KEYS;
  const draw = (): void => {
    const { columns, rows } = out.stream;
    const { sessions } = board;
    const at = Math.max(
      0,
      sessions.findIndex(({ id }) => id === chosen),
    );
    chosen = sessions[at]?.id;
    out.replaceScreen(toBoardLines({ board, chosen: at, columns, rows, note, paint }));
  };
  const move = (by: number): void => {
    const { sessions } = board;
    const at = sessions.findIndex(({ id }) => id === chosen);
    chosen = sessions[Math.max(0, Math.min(sessions.length - 1, at + by))]?.id;
  };
  for (;;) {
    const leaving = new AbortController();
    const keyboard = await openKeyboard();
    out.useOwnScreen(true);
    out.stream.on('resize', draw);
    const refreshing = refresh(states, leaving.signal, () => {
      board = readBoard(states, limit);
      draw();
    });
    let action: string | undefined;
    while (action === undefined) {
      const key = await keyboard.key();
      if (key === 'j') move(1);
      else if (key === 'k') move(-1);
      else if (key === undefined || key === 'ctrl-c' || ['q', 'm', 'i', ENTER].includes(key)) action = key ?? 'q';
      note = KEYS;
      if (action === undefined) draw();
    }
    leaving.abort();
    out.stream.off('resize', draw);
    await refreshing;
    out.useOwnScreen(false);
    try {
      note = (await act(action, chosen, keyboard)) ?? KEYS;
    } catch (error) {
      note = messageOf(error);
    } finally {
      keyboard[Symbol.dispose]();
    }
    if (action === 'q' || action === 'ctrl-c') return;
  }
}

/** Reads the sessions at each change until the signal. */
async function refresh(states: SessionStates, signal: AbortSignal, read: () => void): Promise<void> {
  for (let version: number | undefined; !signal.aborted;) {
    read();
    version = await untilChange(states, { version, signal });
  }
}

/** Does what a key means for a session. Returns what to show. */
async function act(key: string, session: string | undefined, keyboard: Keyboard): Promise<string | undefined> {
  if (session === undefined) return undefined;
  if (key === ENTER) {
    keyboard[Symbol.dispose]();
    const { attachTerminal } = await import('../chat/attach-terminal.ts');
    await attachTerminal(session, {});
    return undefined;
  }
  const { openDaemonClient } = await import('../daemon/open-daemon-client.ts');
  if (key === 'i') {
    await using client = await openDaemonClient({}, () => {});
    const { state } = await client.cancel(session, 'The user stopped the run on the board.');
    return state === 'idle' ? `${session} does not run.` : `${session} stops.`;
  }
  if (key !== 'm') return undefined;
  const text = await keyboard.line(`Message to ${session}: `);
  if (text === undefined || text === 'ctrl-c' || text.trim() === '') return undefined;
  await using client = await openDaemonClient({}, () => {});
  await client.prompt(session, { parts: [{ type: 'text', text }], onAsk: 'wait', delivery: 'steer' });
  return `${session} gets the message.`;
}
