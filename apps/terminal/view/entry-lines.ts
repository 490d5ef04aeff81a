import { toParts, type Entry } from '@klaus/sdk/conversation';
import { describeFact, type FactLine } from '@klaus/sdk/transcript';
import type { Palette } from '../style/palette.ts';
import { MIN_PART } from '../session/session-view.ts';
import { toCallLines, type CallViewOptions } from './call-lines.ts';
import { toPartLines, toThinkingLines, toUserLines, type TakeImage } from './message-lines.ts';
import { toSafe, wrap } from './wrap.ts';

/** What only some callers need. */
interface EntryOptions extends CallViewOptions {
  /** Parts of an answer that are not shown, because they were shown while it was streamed. Default 0. */
  skip?: number;
  /** Without it, an image that the library of the terminal does not draw is a line. */
  takeImage?: TakeImage;
}

/**
 * The lines of one entry, the first of which is blank where the entry begins something new.
 *
 * @param previous The entry before it.
 */
export function toEntryLines(entry: Entry, previous: Entry | undefined, options: EntryOptions): string[] {
  const lines = toLines(entry, options);
  const isSameGroup = previous !== undefined && isCompact(previous) && isCompact(entry);
  return lines.length === 0 || isSameGroup || (options.skip ?? 0) > 0 ? lines : ['', ...lines];
}

/** Calls and facts follow each other without a blank line. */
function isCompact({ kind }: Entry): boolean {
  return kind === 'call' || kind === 'fact';
}

function toLines(entry: Entry, options: EntryOptions): string[] {
  const { width, style } = options;
  switch (entry.kind) {
    case 'user':
      return toUserLines(entry, width, options);
    case 'model': {
      const { skip = 0 } = options;
      const thinking = skip > 0 ? [] : toThinkingLines(entry.thinking, width, style);
      const parts = toParts(entry.text, MIN_PART);
      const text = parts.flatMap((part, index) =>
        index < skip ? [] : toPartBlock(part, { isFirst: index === 0, before: parts[index - 1] }, options),
      );
      return thinking.length > 0 && text.length > 0 ? [...thinking, '', ...text] : [...thinking, ...text];
    }
    case 'call':
      return toCallLines(entry, options);
    case 'limit':
      return wrap(toSafe(entry.asked.title), width, { first: `${style.palette.warn('?')} `, rest: '  ', indent: 2 });
    case 'fact':
      return toFactLines(describeFact(entry.event), width, style.palette);
  }
}

/** One part of an answer, after the one before it. */
export function toPartBlock(
  part: string,
  { isFirst, before }: { isFirst: boolean; before: string | undefined },
  options: Pick<CallViewOptions, 'width' | 'style'>,
): string[] {
  const lines = toPartLines(part, isFirst, options);
  return before !== undefined && /\n\s*\n$/.test(before) && lines.length > 0 ? ['', ...lines] : lines;
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
      ...(text === '' ? [] : [mark === 'info' ? palette.muted(text) : text]),
      ...(detail === undefined ? [] : [palette.muted(detail)]),
    ];
    return wrap(words.join(' '), width, { first: `${palette[role](sign)} `, rest: '  ', indent: 2 });
  });
}
