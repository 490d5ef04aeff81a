import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Event, Klaus, Live, Session } from '@klaus/sdk';

/** Milliseconds in which pieces are collected before they are handed over. */
const COLLECT_MS = 50;
/** Milliseconds after which a server is too slow to be told anything more in this turn. */
const PATIENCE_MS = 2_000;
/** Characters that wait at most. What comes beyond them is left out: the message is whole when it is durable. */
const MAX_WAITING = 256 * 1_024;
/** Pieces that wait at most. */
const MAX_PIECES = 1_000;

/** Hands the text on its way of this process to the server of the same state folder, where there is one. */
export interface LiveRelay {
  /** An event that this process has appended, in order. */
  event(event: Event): void;
  close(): void;
}

interface Link {
  /** Of the claim under which this process works. */
  fence: number;
  unlisten: () => void;
}

/**
 * The page shows a run of the terminal while it speaks. Nothing depends on it: what the server does not take at once is
 * left out, and with no server the only cost is a look for its socket at the beginning of each turn.
 */
export function createLiveRelay({ klaus, session }: { klaus: Klaus; session: Session }): LiveRelay {
  const socket = join(klaus.home, 'server', 'klaus.sock');
  let link: Link | undefined;
  let waiting: Live[] = [];
  let size = 0;
  let seq = 0;
  let timer: NodeJS.Timeout | undefined;
  let isSending = false;

  const leave = (): void => {
    link?.unlisten();
    link = undefined;
    clearTimeout(timer);
    timer = undefined;
    waiting = [];
    size = 0;
  };
  const plan = (): void => {
    if (timer !== undefined || isSending || waiting.length === 0) return;
    timer = setTimeout(() => void send(), COLLECT_MS);
    // A run that is over waits for nobody.
    timer.unref();
  };
  const send = async (): Promise<void> => {
    timer = undefined;
    if (!link || waiting.length === 0) return;
    const body = { fence: link.fence, seq, pieces: waiting };
    waiting = [];
    size = 0;
    isSending = true;
    const isTaken = await handOver(socket, { session: session.id, body });
    isSending = false;
    if (isTaken) plan();
    else leave();
  };
  const take = (live: Live): void => {
    if (live.type === 'message.discarded') drop((piece) => 'message' in piece && piece.message === live.message);
    const last = waiting.at(-1);
    const length = live.type === 'message.discarded' ? 0 : live.text.length;
    if (size + length > MAX_WAITING || waiting.length >= MAX_PIECES) return;
    size += length;
    if (last && live.type !== 'message.discarded' && isNext(last, live))
      waiting[waiting.length - 1] = { ...last, text: last.text + live.text };
    else waiting.push(live);
    plan();
  };
  const drop = (isSaid: (piece: Live) => boolean): void => {
    waiting = waiting.filter((piece) => !isSaid(piece));
    size = waiting.reduce((sum, piece) => sum + ('text' in piece ? piece.text.length : 0), 0);
  };

  return {
    event(event) {
      seq = event.seq;
      if (event.type === 'tool.finished') drop((piece) => 'call' in piece && piece.call === event.call);
      else if (event.type === 'turn.finished' || event.type === 'model.attempted')
        drop((piece) => piece.type === 'message.delta');
      if (event.type !== 'turn.started' || (!link && !existsSync(socket))) return;
      const opened = (link ??= { fence: 0, unlisten: session.onLive(take) });
      void klaus.store.fenceOf(session.id).then((fence) => void (opened.fence = fence));
    },
    close: leave,
  };
}

/** True where one piece goes on where another ends. */
function isNext(last: Live, live: Exclude<Live, { type: 'message.discarded' }>): last is typeof live {
  if (last.type === 'message.discarded' || last.offset + last.text.length !== live.offset) return false;
  if (last.type === 'tool.progress') return live.type === 'tool.progress' && last.call === live.call;
  return live.type === 'message.delta' && last.message === live.message && last.part === live.part;
}

interface Batch {
  session: string;
  body: { fence: number; seq: number; pieces: Live[] };
}

/** False where nobody takes it: no server, a slow one, or one that knows of another holder. */
async function handOver(socketPath: string, { session, body }: Batch): Promise<boolean> {
  try {
    const { createLocalClient } = await import('../remote/local-client.ts');
    const signal = AbortSignal.timeout(PATIENCE_MS);
    return (await createLocalClient(socketPath).live({ params: { id: session }, body }, { signal })).taken;
  } catch {
    return false;
  }
}
