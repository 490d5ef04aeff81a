/** Name of the channel of LISTEN and NOTIFY. */
export const CHANNEL = 'klaus';

/** What a process reports after a commit: never content, so that a payload stays far below the limit of 8,000 bytes. */
export type Change =
  /** Events up to `seq` were appended to the session. */
  | { kind: 'events'; holder: number; session: string; seq: number }
  /** A command arrived. `seq` is its arrival number. */
  | { kind: 'inbox'; holder: number; session: string; seq: number }
  /** Something else changed that lists of sessions show. `session` is empty where it is about several. */
  | { kind: 'other'; holder: number; session: string; seq: number };

const KINDS = { events: 'e', inbox: 'i', other: 'o' } as const;

export function toPayload({ kind, holder, seq, session }: Change): string {
  return `${KINDS[kind]}:${holder}:${seq}:${session}`;
}

/** Undefined for a payload of another program. */
export function fromPayload(text: string): Change | undefined {
  const found = /^([eio]):(\d+):(\d+):(.*)$/s.exec(text);
  if (!found) return undefined;
  const [, letter, holder, seq, session] = found;
  const kind = letter === 'e' ? 'events' : letter === 'i' ? 'inbox' : 'other';
  return { kind, holder: Number(holder), seq: Number(seq), session: session! };
}
