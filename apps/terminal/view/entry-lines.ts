import { type Conversation, type Entry, type FactEntry, toParts } from '@klaus/sdk/conversation';
import type { EventOf } from '@klaus/sdk';
import { toLine } from '@klaus/sdk/printable';
import { describeFact, type FactLine } from '@klaus/sdk/transcript';
import type { Palette } from '../style/palette.ts';
import { MIN_PART } from '../session/session-view.ts';
import { toOpenRows } from './continued-text.ts';
import { type Place, START } from './final-text.ts';
import { toCallLines, type CallViewOptions } from './call-lines.ts';
import { toPartLines, toThinkingLines, toUserLines, type TakeImage } from './message-lines.ts';
import { toSafe, wrap } from './wrap.ts';

/** What is written of a streamed answer: complete parts, and the next one up to a place. */
export interface Written {
  parts: number;
  place: Place;
}

/** What only some callers need. */
interface EntryOptions extends CallViewOptions {
  /** What is not shown of an answer, because it was written while it was streamed. Default: nothing. */
  written?: Written;
  /** Without it, an image that the library of the terminal does not draw is a line. */
  takeImage?: TakeImage;
}

/** The lines of one entry, the first of which is blank where the entry begins something new. */
export function toEntryLines(entries: readonly Entry[], index: number, options: EntryOptions): string[] {
  const entry = entries[index]!;
  if (!options.isExpanded && isReplaced(entry, entries[index + 1])) return [];
  const previous = findPrevious(entries, index, options);
  const lines = toLines(entry, options, entries[index - 1]);
  const isSameGroup = previous !== undefined && isCompact(previous) && isCompact(entry);
  return lines.length === 0 || isSameGroup || isBegun(options.written) ? lines : ['', ...lines];
}

/** The same in a text that may have more parts now: the last part is divided once its next line is complete. */
export function toWritten(written: Written | undefined, list: readonly string[]): Written {
  let { parts, place } = written ?? { parts: 0, place: START };
  for (; parts < list.length - 1 && place.at >= list[parts]!.length; parts++) {
    const at = place.at - list[parts]!.length;
    place = at === 0 ? START : { ...place, at };
  }
  return { parts, place };
}

function isBegun(written: Written | undefined): boolean {
  return written !== undefined && (written.parts > 0 || written.place.at > 0);
}

/** The entry before another one that has lines. */
function findPrevious(entries: readonly Entry[], index: number, { isExpanded }: EntryOptions): Entry | undefined {
  let at = index - 1;
  while (at >= 0 && !isExpanded && (!isShown(entries[at]!) || isReplaced(entries[at]!, entries[at + 1]))) at -= 1;
  return entries[at];
}

/** True for an entry of which the conversation shows lines. */
function isShown(entry: Entry): boolean {
  return entry.kind !== 'fact' || toBriefFacts(entry).length > 0;
}

/** Calls and facts follow each other without a blank line. */
function isCompact({ kind }: Entry): boolean {
  return kind === 'call' || kind === 'fact';
}

/** @param before The entry before it. */
function toLines(entry: Entry, options: EntryOptions, before: Entry | undefined): string[] {
  const { width, style } = options;
  switch (entry.kind) {
    case 'user':
      return toUserLines(entry, width, options);
    case 'model': {
      const thinking = isBegun(options.written) ? [] : toThinkingLines(entry.thinking, width, style);
      const all = toParts(entry.text, MIN_PART);
      const written = toWritten(options.written, all);
      const text = all.flatMap((_, index, parts) => {
        if (index < written.parts) return [];
        return toPartBlock(parts, index, { ...options, from: index === written.parts ? written.place : START });
      });
      return thinking.length > 0 && text.length > 0 ? [...thinking, '', ...text] : [...thinking, ...text];
    }
    case 'call':
      return toCallLines(entry, options);
    case 'limit':
      return wrap(toSafe(entry.asked.title), width, { first: `${style.palette.warn('?')} `, rest: '  ', indent: 2 });
    case 'fact': {
      const facts = options.isExpanded ? describeFact(entry.event) : toBriefFacts(entry, before);
      return toFactLines(facts, width, style.palette);
    }
  }
}

/** What the conversation shows of an event. Ids, checkpoints, tokens and costs are in the complete view. */
function toBriefFacts({ event }: FactEntry, before?: Entry): readonly FactLine[] {
  const lines = describeFact(event);
  switch (event.type) {
    case 'session.opened':
      return [...describeOpened(event), ...lines.slice(1)];
    case 'model.attempted':
      return lines.map((line) => withAttempt(line, event));
    case 'workspace.committed':
      return [];
    case 'run.finished':
      return lines.slice(0, -1).map((line) => (line.mark === 'bad' ? withAttempt(line, toAttempt(before)) : line));
    default:
      return lines;
  }
}

/** The event of a failed attempt of a request to the model. */
function toAttempt(entry: Entry | undefined): EventOf<'model.attempted'> | undefined {
  return entry?.kind === 'fact' && entry.event.type === 'model.attempted' ? entry.event : undefined;
}

/** Counts the attempts from the second one on. */
function withAttempt(line: FactLine, { attempt = 1 }: Partial<EventOf<'model.attempted'>> = {}): FactLine {
  return attempt > 1 ? { ...line, text: `${line.text} (attempt ${attempt})` } : line;
}

/** The agent, and the sandbox if there is none: commands then have all rights of the user. */
function describeOpened({ agent, sandbox }: EventOf<'session.opened'>): readonly FactLine[] {
  const facts = [
    ...(agent === undefined ? [] : [`agent ${toLine(agent, 80)}`]),
    ...(sandbox === 'host' ? ['no sandbox: commands have your rights'] : []),
  ];
  return facts.length === 0 ? [] : [{ mark: 'info', text: facts.join(', ') }];
}

/**
 * True for a failed attempt of a request to the model in place of which the next entry is shown: a further attempt, or
 * the end of the run with the same reason.
 */
function isReplaced(entry: Entry, next: Entry | undefined): boolean {
  const attempt = toAttempt(entry);
  if (!attempt || next?.kind !== 'fact') return false;
  const { event } = next;
  if (event.type === 'run.finished') return event.outcome === 'model_failed';
  return event.type === 'model.attempted' && event.turn === attempt.turn && event.attempt > attempt.attempt;
}

/** True for a failed attempt that the next entry can replace. */
export function isReplaceable({ entries }: Conversation, index: number): boolean {
  return index === entries.length - 1 && toAttempt(entries[index]) !== undefined;
}

/**
 * One part of an answer, after the one before it.
 *
 * @param options.from Where it begins.
 * @param options.to Where it ends. Default: at its end.
 */
export function toPartBlock(
  parts: readonly string[],
  index: number,
  { from, to, ...options }: Pick<CallViewOptions, 'width' | 'style'> & { from: Place; to?: Place },
): readonly string[] {
  const toRows = (text: string): string[] => toPartLines(text, index === 0 && from.at === 0, options);
  const text = parts[index]!.slice(from.at, to?.at);
  const lines = toOpenRows(from, text, { codeLine: to?.codeLine, toRows });
  const isApart = from.at === 0 && index > 0 && /\n\s*\n$/.test(parts[index - 1]!);
  return isApart && lines.length > 0 ? ['', ...lines] : lines;
}

const SIGNS: Readonly<
  Record<FactLine['mark'], readonly [keyof Pick<Palette, 'good' | 'bad' | 'warn' | 'muted'>, string]>
> = {
  ok: ['good', '✓'],
  bad: ['bad', '✗'],
  warn: ['warn', '!'],
  info: ['muted', '·'],
};

export function toFactLines(facts: readonly FactLine[], width: number, palette: Palette): string[] {
  return facts.flatMap(({ mark, text, detail }) => {
    const [role, sign] = SIGNS[mark];
    const words = [
      ...(text === ''
        ? []
        : [mark === 'info' ? palette.muted(text) : detail === undefined ? text : palette.strong(text)]),
      ...(detail === undefined ? [] : [palette.muted(detail)]),
    ];
    return wrap(words.join(' '), width, { first: `${palette[role](sign)} `, rest: '  ', indent: 2 });
  });
}
