import { joinLive, type Live, type LivePiece } from '@klaus/core/protocol';
import { takeText } from './live-payload.ts';

/** Characters that wait at most: of one session, and of all. Further text is dropped. */
const MAX_SESSION = 32 * 1_024;
const MAX_ALL = 512 * 1_024;
/** Pieces of one session that wait at most. */
const MAX_PIECES = 1_000;

/** Redacts secrets in a text before it leaves the process. */
export type RedactText = (text: string) => string;

/** What waits of one session. */
export interface WaitingLive {
  session: string;
  /** In order. */
  pieces: Live[];
  redact: RedactText;
}

/** In-flight text that waits to be sent, in bounded memory. Pieces that follow each other are joined. */
export class LiveBuffer {
  readonly #sessions = new Map<string, WaitingLive & { size: number }>();
  /** Characters of all sessions. */
  #size = 0;

  get isEmpty(): boolean {
    return this.#sessions.size === 0;
  }

  add(live: Live, redact: RedactText): void {
    const { session } = live;
    if (live.type === 'message.discarded')
      this.drop(session, (piece) => piece.type === 'message.delta' && piece.message === live.message);
    const waiting = this.#sessions.get(session) ?? { session, pieces: [], redact, size: 0 };
    waiting.redact = redact;
    const { pieces } = waiting;
    const last = pieces.at(-1);
    if (live.type === 'message.discarded') {
      if (pieces.length < MAX_PIECES) pieces.push(live);
    } else {
      const text = takeText(live.text, Math.max(0, Math.min(MAX_SESSION - waiting.size, MAX_ALL - this.#size)));
      const piece: LivePiece = { ...live, text };
      const joined = last && last.type !== 'message.discarded' ? joinLive(last, piece) : undefined;
      if (text === '' || (!joined && pieces.length >= MAX_PIECES)) return;
      if (joined) pieces[pieces.length - 1] = joined;
      else pieces.push(piece);
      waiting.size += text.length;
      this.#size += text.length;
    }
    this.#sessions.set(session, waiting);
  }

  /** Removes pieces with text. */
  drop(session: string, isDropped: (piece: LivePiece) => boolean): void {
    const waiting = this.#sessions.get(session);
    if (!waiting) return;
    waiting.pieces = waiting.pieces.filter((piece) => {
      if (piece.type === 'message.discarded' || !isDropped(piece)) return true;
      waiting.size -= piece.text.length;
      this.#size -= piece.text.length;
      return false;
    });
    if (waiting.pieces.length === 0) this.#sessions.delete(session);
  }

  /** Everything that waits, which is then sent or lost. */
  take(): WaitingLive[] {
    const taken = [...this.#sessions.values()];
    this.#sessions.clear();
    this.#size = 0;
    return taken;
  }
}
