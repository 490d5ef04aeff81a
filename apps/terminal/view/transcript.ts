import { tailOf } from '@klaus/sdk/cut-text';
import type { Entry, PartialMessage, UserEntry } from '@klaus/sdk/conversation';
import { formatCount } from '@klaus/sdk/transcript';
import { SixelImages } from '../images/sixel-images.ts';
import { truncateToWidth, type Component, type InlineScreen } from '../screen/index.ts';
import { isInterrupted, type SessionView } from '../session/session-view.ts';
import type { CallViewOptions } from './call-lines.ts';
import { toSpinner } from '../style/spinner.ts';
import { toEntryLines, toPartBlock } from './entry-lines.ts';
import { toImageBounds, toThinkingLines, type TakeImage } from './message-lines.ts';
import type { ViewStyle } from './view-style.ts';
import { toSafe, wrap } from './wrap.ts';

/** Entries of a session that are shown when it is opened; earlier ones are in the full view. */
const SHOWN_AT_START = 40;
/** Rows of thinking that is being streamed. */
const THINKING_ROWS = 4;
/** Fewest rows of a block that is being streamed, and rows of what is below it. */
const MIN_LIVE_ROWS = 3;
const FOOTER_ROWS = 6;

/**
 * The conversation. What cannot change any more is written above the screen's changing rows once; the rest, such as
 * running calls and the end of a streamed answer, is rendered for each frame.
 */
export class Transcript implements Component {
  readonly #screen: InlineScreen;
  readonly #style: ViewStyle;
  readonly #now: () => number;
  readonly #images: SixelImages;
  readonly #takeImage: TakeImage;
  #view: SessionView;
  /** Number of entries that are finished. */
  #done = 0;
  /** Of each streamed message, the number of its parts that are finished. */
  readonly #partsDone = new Map<string, number>();
  /** Lines that belong to no session, before the next frame, each with the number of entries before it. */
  #notes: { text: string; after: number }[] = [];

  constructor(screen: InlineScreen, given: { style: ViewStyle; now: () => number; view: SessionView }) {
    this.#screen = screen;
    this.#style = given.style;
    this.#now = given.now;
    this.#view = given.view;
    this.#images = new SixelImages(() => screen.requestRender());
    this.#takeImage = (image, indent) => this.#images.take(image, indent);
  }

  /** Shows another session, from its last entries on. */
  show(view: SessionView): void {
    this.#view = view;
    this.#partsDone.clear();
    for (const note of this.#notes) note.after = 0;
    const { entries } = view.conversation;
    this.#done = Math.max(0, entries.length - SHOWN_AT_START);
    if (this.#done > 0) this.note(`… ${formatCount(this.#done)} earlier messages and calls, Ctrl-O shows them`);
  }

  /** Writes a line that is not in the log. @param text Printable, may contain colours. */
  note(text: string): void {
    this.#notes.push({ text, after: this.#view.conversation.entries.length });
  }

  invalidate(): void {}

  render(width: number): string[] {
    const finished: string[] = [];
    const { entries } = this.#view.conversation;
    const options = this.#toOptions(width);
    for (; this.#done < entries.length; this.#done++) {
      const entry = entries[this.#done]!;
      if (!isFinal(entry) || !this.#canFinish(entry, width)) break;
      this.#takeNotes(finished, this.#done, width);
      finished.push(...this.#toLines(this.#done, { ...options, takeImage: this.#takeImage }));
    }
    this.#takeNotes(finished, Number.POSITIVE_INFINITY, width);
    const live: string[] = [];
    for (let index = this.#done; index < entries.length; index++) live.push(...this.#toLines(index, options));
    for (const [id, message] of this.#view.inFlight.messages) {
      const isAlone = this.#done === entries.length && this.#view.inFlight.messages.size === 1;
      this.#addPartial(id, message, { options, finished: isAlone ? finished : undefined, live });
    }
    if (finished.length > 0) this.#screen.finish(finished);
    return live;
  }

  /** Adds the notes that are not after further entries. */
  #takeNotes(lines: string[], entries: number, width: number): void {
    while (this.#notes[0] && this.#notes[0].after <= entries) lines.push(...wrap(this.#notes.shift()!.text, width));
  }

  #toOptions(width: number): CallViewOptions {
    const now = this.#now();
    const [style, view] = [this.#style, this.#view];
    const common = { output: '', isExpanded: false, isInterrupted: isInterrupted(view) };
    return { width, style, now, spinner: toSpinner(now), ...common };
  }

  #toLines(index: number, options: CallViewOptions & { takeImage?: TakeImage }): string[] {
    const { entries } = this.#view.conversation;
    const entry = entries[index]!;
    const output = this.#view.inFlight.calls.get(entry.id)?.text ?? '';
    const skip = this.#partsDone.get(entry.id) ?? 0;
    return toEntryLines(entry, entries[index - 1], { ...options, output, skip });
  }

  /** Code of a finished entry gets its colours before it is written, and its images are drawn. */
  #canFinish(entry: Entry, width: number): boolean {
    if (entry.kind === 'user') return entry.images.length === 0 || this.#areDrawn(entry.images, width);
    return entry.kind !== 'model' || this.#hasGrammars(entry.text);
  }

  #areDrawn(images: UserEntry['images'], width: number): boolean {
    const { sixelCell: cell, terminal } = this.#screen;
    const { columns, rows } = toImageBounds(width);
    // An image needs a row below it.
    return !cell || this.#images.areDrawn(images, { columns, rows: Math.min(rows, terminal.rows - 1), cell });
  }

  #hasGrammars(text: string): boolean {
    const { highlighter } = this.#style;
    if (highlighter.isLoaded || !text.includes('```')) return true;
    void highlighter.load().then(() => this.#screen.requestRender());
    return false;
  }

  /** A message that is being streamed. Its closed parts are finished, if everything before it is. */
  #addPartial(
    id: string,
    { text, thinking, parts }: PartialMessage,
    to: { options: CallViewOptions; finished: string[] | undefined; live: string[] },
  ): void {
    const { options, finished, live } = to;
    const list = parts.list();
    let done = this.#partsDone.get(id) ?? 0;
    if (text.text === '' && thinking.text !== '') live.push('', ...this.#toThinking(thinking.text, options.width));
    const isReady = this.#hasGrammars(text.text);
    const toBlock = (index: number): string[] => {
      const lines = toPartBlock(list[index]!, { isFirst: index === 0, before: list[index - 1] }, options);
      if (index > 0 || lines.length === 0) return lines;
      const thought = toThinkingLines(thinking.text, options.width, this.#style);
      return ['', ...(thought.length > 0 ? [...thought, ''] : []), ...lines];
    };
    // The last part can still grow.
    for (; finished && isReady && done < list.length - 1; done++) finished.push(...toBlock(done));
    if (done > 0) this.#partsDone.set(id, done);
    for (let index = done; index < list.length; index++) live.push(...this.#toEnd(toBlock(index), options.width));
  }

  /**
   * The end of a block that still grows. A window that becomes narrower wraps the rows of the last frame, and those above
   * its top would stay in the scrollback: they fit also if each is wrapped to four.
   */
  #toEnd(lines: readonly string[], width: number): readonly string[] {
    const max = Math.max(MIN_LIVE_ROWS, Math.floor((this.#screen.terminal.rows - FOOTER_ROWS) / 4));
    if (lines.length <= max + 1) return lines;
    const above = `… ${formatCount(lines.length - max)} lines above, until this is complete`;
    return [this.#style.palette.muted(truncateToWidth(above, width, '…')), ...lines.slice(-max)];
  }

  #toThinking(text: string, width: number): string[] {
    const lines = wrap(toSafe(tailOf(text, 4_000).trim()), width, { first: '  ', indent: 2 });
    return [this.#style.palette.muted('∴ Thinking'), ...lines.slice(-THINKING_ROWS).map(this.#style.palette.muted)];
  }
}

/** True for an entry that no later event changes. */
function isFinal(entry: Entry): boolean {
  if (entry.kind === 'call') return entry.state === 'finished' && (!entry.child || entry.child.state !== 'working');
  return entry.kind !== 'limit' || entry.answer !== undefined;
}
