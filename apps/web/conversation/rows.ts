import {
  toParts,
  type CallEntry,
  type Conversation,
  type Entry,
  type FactEvent,
  type ModelEntry,
  type PartialMessage,
  type Parts,
} from '@klaus/core/conversation';
import type { EventOf } from '@klaus/core/protocol';
import type { QueuedMessage } from '@klaus/server/contract';
import { isRead } from './read-group.ts';
import type { SessionState } from '../log/session-log.ts';

/** One row of a conversation. In-flight rows follow the rows of the log. */
export type Row = {
  key: string;
  /** Estimated height in pixels, cached by the list. */
  height?: number;
} & (
  | EntryRow
  | AnswerRow
  | GroupRow
  | { kind: 'working' }
  /** Earlier events are not loaded yet. */
  | { kind: 'earlier' }
  | { kind: 'queued'; message: QueuedMessage }
);

/** At least two consecutive calls that only read. */
export interface GroupRow {
  kind: 'group';
  key: string;
  height?: number;
  calls: readonly CallEntry[];
}

export interface EntryRow {
  kind: 'entry';
  key: string;
  entry: Exclude<Entry, ModelEntry>;
  /** Of the end of a run: the failed request to the model that ended it, which has no row of its own. */
  attempt?: EventOf<'model.attempted'>;
}

/** A part of a message of the model. A short message has one part. */
export interface AnswerRow {
  kind: 'answer';
  key: string;
  id: string;
  text: string;
  /** Empty except in the first part. */
  thinking: string;
  isFirst: boolean;
  isLast: boolean;
  /** The message in the log; undefined while it is streamed. */
  entry: ModelEntry | undefined;
  /** True if tool calls follow in the same message: a later one ends the run. */
  hasCalls: boolean;
  isCalling: boolean;
}

/** Rows by entry. A long session has ten thousand rows, and they are needed at every frame. */
const entryRows = new WeakMap<Entry, readonly Row[]>();
/** All rows of a log at a seq. In-flight text does not change them. */
const logRows = new WeakMap<Conversation, { seq: number; rows: readonly Row[] }>();

type Shown = Pick<SessionState, 'conversation' | 'inFlight' | 'queue' | 'isComplete'>;

/** Index of the row that shows an event of the log; -1 for none. */
export function findRecord(rows: readonly Row[], seq: number): number {
  const owner = rows.findIndex((row) => callsOf(row).some((call) => isOf(call, seq)));
  return owner >= 0 ? owner : rows.findLastIndex((row) => (toSeq(row) ?? Number.POSITIVE_INFINITY) <= seq);
}

function callsOf(row: Row): readonly CallEntry[] {
  if (row.kind === 'group') return row.calls;
  return row.kind === 'entry' && row.entry.kind === 'call' ? [row.entry] : [];
}

function isOf({ seq: own, decisions, asked, answer, resultSeq }: CallEntry, seq: number): boolean {
  // A call has the seq of its message, which has its own rows.
  if (own === seq) return false;
  return [asked?.seq, answer?.seq, resultSeq, ...decisions.map((it) => it.seq)].includes(seq);
}

export function toRows({ conversation, inFlight, queue, isComplete }: Shown): Row[] {
  const rows: Row[] = isComplete ? [] : [{ kind: 'earlier', key: 'earlier' }];
  for (const row of toLogRows(conversation)) rows.push(row);
  // The same keys as those of the stored message, so that expanded details stay expanded.
  for (const [id, streaming] of inFlight.messages) rows.push(...toGrowingRows(id, streaming));
  if (isWorking(conversation) && inFlight.messages.size === 0) rows.push({ kind: 'working', key: 'working' });
  for (const message of queue) rows.push({ kind: 'queued', key: `queued ${message.command}`, message });
  return rows;
}

/** True while a request to the model has no answer yet, and before the first request of a run. */
function isWorking({ requested, run, entries }: Conversation): boolean {
  return requested !== undefined || (run !== undefined && entries.at(-1)?.kind === 'user');
}

/** Seq of the event whose first row this is; undefined for in-flight rows and further parts. */
function toSeq(row: Row): number | undefined {
  if (row.kind === 'entry') return row.entry.seq;
  if (row.kind === 'group') return row.calls[0]!.seq;
  return row.kind === 'answer' && row.isFirst ? row.entry?.seq : undefined;
}

function toLogRows(conversation: Conversation): readonly Row[] {
  const { seq, entries } = conversation;
  const before = logRows.get(conversation);
  if (before?.seq === seq) return before.rows;
  const rows: Row[] = [];
  let reads: CallEntry[] = [];
  /** Messages without words since the last read; between two reads they are not shown. */
  let silent: Entry[] = [];
  // A call has the seq of its message.
  const calling = new Set(entries.flatMap((entry) => (entry.kind === 'call' ? [entry.seq] : [])));
  const add = (entry: Entry): void => {
    let own = entryRows.get(entry);
    if (!own) entryRows.set(entry, (own = toEntryRows(entry, calling.has(entry.seq))));
    for (const row of own) pushRow(rows, row);
  };
  const flush = (): void => {
    if (reads.length > 1) rows.push(toGroup(reads));
    else reads.forEach(add);
    silent.forEach(add);
    [reads, silent] = [[], []];
  };
  for (const entry of entries) {
    if (isRead(entry)) {
      reads.push(entry);
      silent = [];
    } else if (reads.length > 0 && isSilent(entry)) silent.push(entry);
    else {
      flush();
      add(entry);
    }
  }
  flush();
  logRows.set(conversation, { seq, rows });
  return rows;
}

/** Rows of groups by their last call. */
const groups = new WeakMap<CallEntry, GroupRow>();

function toGroup(calls: readonly CallEntry[]): GroupRow {
  const last = calls.at(-1)!;
  const before = groups.get(last);
  if (before?.calls.length === calls.length && before.calls[0] === calls[0]) return before;
  const row: GroupRow = { kind: 'group', key: `group ${calls[0]!.id}`, calls };
  groups.set(last, row);
  return row;
}

function isSilent(entry: Entry): boolean {
  return entry.kind === 'model' && entry.text.trim() === '' && entry.thinking.trim() === '';
}

/**
 * Adds a row. Further attempts of a request to the model replace the row of the one before, and the end of a run replaces
 * that of the attempt that it reports.
 */
function pushRow(rows: Row[], row: Row): void {
  const last = rows.at(-1);
  const before = last && toFact(last);
  const event = toFact(row);
  if (row.kind === 'entry' && last && before?.type === 'model.attempted') {
    const isRepeated =
      event?.type === 'model.attempted' && event.turn === before.turn && event.attempt > before.attempt;
    if (isRepeated) {
      rows.pop();
      return void rows.push({ ...row, key: last.key });
    }
    if (event?.type === 'run.finished' && event.outcome === 'model_failed') {
      rows.pop();
      return void rows.push({ ...row, attempt: before });
    }
  }
  rows.push(row);
}

function toFact(row: Row): FactEvent | undefined {
  return row.kind === 'entry' && row.entry.kind === 'fact' ? row.entry.event : undefined;
}

function toEntryRows(entry: Entry, hasCalls: boolean): Row[] {
  if (entry.kind !== 'model') return [{ kind: 'entry', key: `${entry.kind} ${entry.id}`, entry }];
  const { id, text, thinking } = entry;
  return toAnswerRows(toParts(text), { id, thinking, entry, hasCalls, isCalling: false });
}

function toGrowingRows(id: string, { parts, thinking, call }: PartialMessage): AnswerRow[] {
  const isCalling = call.text !== '';
  const before = previousRows.get(parts) ?? [];
  const rows = toAnswerRows(parts.list(), {
    id,
    thinking: thinking.text,
    entry: undefined,
    hasCalls: false,
    isCalling,
  }).map((row, at) => {
    const old = before[at];
    return old && !old.isLast && !row.isLast && old.thinking === row.thinking ? old : row;
  });
  previousRows.set(parts, rows);
  return rows;
}

/** The previous rows of an in-flight message. Complete parts keep their row. */
const previousRows = new WeakMap<Parts, readonly AnswerRow[]>();

function toAnswerRows(
  parts: readonly string[],
  { thinking, isCalling, ...rest }: Pick<AnswerRow, 'id' | 'thinking' | 'entry' | 'hasCalls' | 'isCalling'>,
): AnswerRow[] {
  return parts.map((text, at) => {
    const [isFirst, isLast] = [at === 0, at === parts.length - 1];
    const key = isFirst ? `model ${rest.id}` : `model ${rest.id} ${at}`;
    const own = { thinking: isFirst ? thinking : '', isCalling: isLast && isCalling };
    return { kind: 'answer', key, text, isFirst, isLast, ...rest, ...own };
  });
}

const CALL_HEIGHT = 28;
/** Characters per line on a wide page. */
const WIDTH = 72;
/** Height in pixels of a line of text, and of the gap between two blocks. */
const LINE = { text: 21, gap: 8 };

/** Estimated height in pixels of a row that is not rendered yet. A good estimate avoids layout shifts. */
export function estimateHeight(row: Row): number {
  if (row.kind === 'answer') return 16 + toTextHeight(row.text);
  if (row.kind === 'group') return CALL_HEIGHT;
  if (row.kind !== 'entry') return 48;
  const { entry } = row;
  if (entry.kind === 'call') return CALL_HEIGHT;
  if (entry.kind === 'fact') return 32;
  if (entry.kind === 'limit') return 140;
  return 40 + Math.ceil(entry.text.length / WIDTH) * 20;
}

function toTextHeight(text: string): number {
  let height = 0;
  for (let at = 0; at < text.length;) {
    const end = text.indexOf('\n', at);
    const length = (end < 0 ? text.length : end) - at;
    height += length === 0 ? LINE.gap : Math.ceil(length / WIDTH) * LINE.text;
    at += length + 1;
  }
  return height;
}
