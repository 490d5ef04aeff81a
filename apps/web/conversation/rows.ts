import type { QueuedMessage } from '@klaus/server/contract';
import type { Entry } from '../log/entry.ts';
import type { Streaming } from '../log/live-text.ts';
import type { SessionState } from '../log/session-log.ts';

/** One row of a conversation: what the log says, then what is on its way. */
export type Row =
  | { kind: 'entry'; key: string; entry: Entry }
  | { kind: 'streaming'; key: string; streaming: Streaming }
  | { kind: 'working'; key: string }
  /** What came before has not been read yet. */
  | { kind: 'earlier'; key: string }
  | { kind: 'queued'; key: string; message: QueuedMessage };

/** An entry that stays the same is the same row: a long session has ten thousand of them at every picture. */
const known = new WeakMap<Entry, Row>();

function toRow(entry: Entry): Row {
  let row = known.get(entry);
  if (!row) known.set(entry, (row = { kind: 'entry', key: `${entry.kind} ${entry.id}`, entry }));
  return row;
}

type Shown = Pick<SessionState, 'conversation' | 'live' | 'queue' | 'isWhole'>;

export function toRows({ conversation, live, queue, isWhole }: Shown): Row[] {
  const rows: Row[] = conversation.entries.map(toRow);
  if (!isWhole) rows.unshift({ kind: 'earlier', key: 'earlier' });
  for (const [id, streaming] of live.messages) {
    // The same key as the message will have: what was opened in it stays open.
    rows.push({ kind: 'streaming', key: `model ${id}`, streaming });
  }
  if (conversation.requested && live.messages.size === 0) rows.push({ kind: 'working', key: 'working' });
  for (const message of queue) rows.push({ kind: 'queued', key: `queued ${message.command}`, message });
  return rows;
}
