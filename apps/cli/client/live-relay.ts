import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Event, Klaus, Live, Session } from '@klaus/sdk';
import { findForeignPart } from '../instance/trusted-folder.ts';

/** Milliseconds for which pieces are collected before they are sent. */
const COLLECT_MS = 50;
/** Milliseconds after which a server is too slow to receive more in this turn. */
const TIMEOUT_MS = 2_000;
/** Characters that wait at most. Further text is dropped: the durable message is complete. */
const MAX_WAITING = 256 * 1_024;
/** Pieces that wait at most. */
const MAX_PIECES = 1_000;

/**
 * Sends in-flight text of this process to the server of the same state folder, if one is running, so that the page
 * streams a run of the terminal. Nothing depends on it: pieces that the server does not take at once are dropped, and
 * without a server its only cost is one check for the socket in each turn.
 */
export function createLiveRelay(klaus: Klaus, session: Session) {
  const socket = join(klaus.home, 'server', 'klaus.sock');
  /** True while a server of this user, and of no other one, has a socket. */
  const isServed = (): boolean => existsSync(socket) && findForeignPart(join(klaus.home, 'server')) === undefined;
  /** `fence` is that of the claim under which this process works. */
  let link: { fence: number; unsubscribe: () => void } | undefined;
  let waiting: Live[] = [];
  let size = 0;
  let seq = 0;
  let timer: NodeJS.Timeout | undefined;
  let isSending = false;

  const close = (): void => {
    link?.unsubscribe();
    link = undefined;
    clearTimeout(timer);
    timer = undefined;
    waiting = [];
    size = 0;
  };
  const schedule = (): void => {
    if (timer !== undefined || isSending || waiting.length === 0) return;
    timer = setTimeout(() => void send(), COLLECT_MS);
    // It does not keep a finished process alive.
    timer.unref();
  };
  const send = async (): Promise<void> => {
    timer = undefined;
    if (!link || waiting.length === 0) return;
    const body = { fence: link.fence, seq, pieces: waiting };
    waiting = [];
    size = 0;
    isSending = true;
    const isTaken = await post(socket, { session: session.id, body });
    isSending = false;
    if (isTaken) schedule();
    else close();
  };
  const add = (live: Live): void => {
    if (live.type === 'message.discarded') drop((piece) => 'message' in piece && piece.message === live.message);
    const last = waiting.at(-1);
    const length = live.type === 'message.discarded' ? 0 : live.text.length;
    if (size + length > MAX_WAITING || waiting.length >= MAX_PIECES) return;
    size += length;
    if (last && live.type !== 'message.discarded' && isNext(last, live))
      waiting[waiting.length - 1] = { ...last, text: last.text + live.text };
    else waiting.push(live);
    schedule();
  };
  const drop = (isDurable: (piece: Live) => boolean): void => {
    waiting = waiting.filter((piece) => !isDurable(piece));
    size = waiting.reduce((sum, piece) => sum + ('text' in piece ? piece.text.length : 0), 0);
  };

  return {
    /** @param event One that this process has appended, in order. */
    event(event: Event): void {
      seq = event.seq;
      if (event.type === 'tool.finished') drop((piece) => 'call' in piece && piece.call === event.call);
      else if (event.type === 'turn.finished' || event.type === 'model.attempted')
        drop((piece) => piece.type === 'message.delta');
      if (event.type !== 'turn.started' || (!link && !isServed())) return;
      const opened = (link ??= { fence: 0, unsubscribe: session.onLive(add) });
      void klaus.store.fenceOf(session.id).then((fence) => void (opened.fence = fence));
    },
    close,
  };
}

/** True if one piece begins where the other ends. */
function isNext(last: Live, live: Exclude<Live, { type: 'message.discarded' }>): last is typeof live {
  if (last.type === 'message.discarded' || last.offset + last.text.length !== live.offset) return false;
  if (last.type === 'tool.progress') return live.type === 'tool.progress' && last.call === live.call;
  return live.type === 'message.delta' && last.message === live.message && last.part === live.part;
}

/** False if no server takes it: there is none, it is slow, or another process holds the session. */
async function post(
  socketPath: string,
  { session, body }: { session: string; body: { fence: number; seq: number; pieces: Live[] } },
): Promise<boolean> {
  try {
    const { toSocketClient } = await import('./http/http-fetch.ts');
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    return (await toSocketClient(socketPath).live({ params: { id: session }, body }, { signal })).taken;
  } catch {
    return false;
  }
}
