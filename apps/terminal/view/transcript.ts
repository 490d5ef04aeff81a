import { tailOf } from '@klaus/sdk/cut-text';
import type { Entry, PartialMessage, UserEntry } from '@klaus/sdk/conversation';
import { formatCount } from '@klaus/sdk/transcript';
import { SixelImages } from '../images/sixel-images.ts';
import { truncateToWidth, type Component, type Growing, type InlineScreen } from '../screen/index.ts';
import { isInterrupted, isWorking, type SessionView } from '../session/session-view.ts';
import type { CallViewOptions } from './call-lines.ts';
import { toSpinner } from '../style/spinner.ts';
import { isReplaceable, toEntryLines, toPartBlock, toWritten, type Written } from './entry-lines.ts';
import { findFinal, type Place, START } from './final-text.ts';
import { toImageBounds, toPartLines, toThinkingLines, type TakeImage } from './message-lines.ts';
import { listEnds } from './text-ends.ts';
import { type ViewStyle, withoutColours } from './view-style.ts';
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
  readonly #isAsked: (approval: string) => boolean;
  #view: SessionView;
  /** Number of entries that are finished. */
  #done = 0;
  /** Of each streamed message, what is finished. */
  readonly #written = new Map<string, Written>();
  /** Lines that belong to no session, before the next frame, each with the number of entries before it. */
  #notes: { text: string; after: number }[] = [];

  /** @param given.isAsked True for a question that is shown elsewhere. Default: none is. */
  constructor(
    screen: InlineScreen,
    given: { style: ViewStyle; now: () => number; view: SessionView; isAsked?: (approval: string) => boolean },
  ) {
    this.#isAsked = given.isAsked ?? (() => false);
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
    this.#written.clear();
    for (const note of this.#notes) note.after = 0;
    const { entries } = view.conversation;
    this.#done = Math.max(0, entries.length - SHOWN_AT_START);
    if (this.#done === 0) return;
    const text = `… ${formatCount(this.#done)} earlier messages and calls, Ctrl-O shows them`;
    this.#notes.push({ text, after: this.#done });
  }

  /** Writes a line that is not in the log. @param text Printable, may contain colours. */
  note(text: string): void {
    this.#notes.push({ text, after: this.#view.conversation.entries.length });
  }

  invalidate(): void {}

  render(width: number): string[] {
    const finished = this.#dropInterrupted();
    const { entries } = this.#view.conversation;
    const options = this.#toOptions(width);
    let isLoading = false;
    for (; this.#done < entries.length; this.#done++) {
      const entry = entries[this.#done]!;
      if (!isFinal(entry) || this.#mayBeReplaced(this.#done)) break;
      isLoading = !this.#canFinish(entry, width);
      if (isLoading) break;
      this.#takeNotes(finished, this.#done, width);
      finished.push(...this.#toLines(this.#done, { ...options, takeImage: this.#takeImage }));
    }
    // A note waits for colours that are being loaded, and not for a call that runs.
    this.#takeNotes(finished, isLoading ? this.#done : Number.POSITIVE_INFINITY, width);
    const live: string[] = [];
    for (let index = this.#done; index < entries.length; index++)
      if (!this.#isShownElsewhere(entries[index]!)) live.push(...this.#toLines(index, options));
    const from = live.length;
    const { messages } = this.#view.inFlight;
    let growing: Pick<Growing, 'leave' | 'isUndivided'> = {};
    for (const [id, message] of messages) {
      const isAlone = this.#done === entries.length && messages.size === 1;
      growing = this.#addPartial(id, message, { options, finished: isAlone ? finished : undefined, live });
    }
    if (finished.length > 0) this.#screen.finish(finished);
    if (messages.size > 0) this.#screen.setGrowing({ from, rows: live.length - from, ...growing });
    return live;
  }

  /** @returns A line for each written message that the log does not get. */
  #dropInterrupted(): string[] {
    const { conversation, inFlight } = this.#view;
    const lines: string[] = [];
    for (const id of this.#written.keys()) {
      if (inFlight.messages.has(id) || conversation.entries.some((entry) => entry.id === id)) continue;
      this.#written.delete(id);
      lines.push(this.#style.palette.muted('· The reply was interrupted here, and is not a part of the session.'));
    }
    return lines;
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
    const written = this.#written.get(entry.id);
    return toEntryLines(entries, index, { ...options, output, written });
  }

  /** Attempts of one request share one row, until its answer arrives. */
  #mayBeReplaced(index: number): boolean {
    const { conversation, inFlight } = this.#view;
    return inFlight.messages.size === 0 && isWorking(this.#view) && isReplaceable(conversation, index);
  }

  #isShownElsewhere(entry: Entry): boolean {
    if (entry.kind === 'call') return entry.state === 'asked' && this.#isAsked(entry.asked?.approval ?? '');
    return entry.kind === 'limit' && this.#isAsked(entry.asked.approval);
  }

  /** Code of a finished entry gets its colours before it is written, and its images are drawn. */
  #canFinish(entry: Entry, width: number): boolean {
    if (entry.kind === 'user') return entry.images.length === 0 || this.#areDrawn(entry.images, width);
    if (entry.kind === 'call') return entry.diff === undefined || this.#areGrammarsLoaded();
    return entry.kind !== 'model' || this.#hasGrammars(entry.text);
  }

  #areDrawn(images: UserEntry['images'], width: number): boolean {
    const { sixelCell: cell, terminal } = this.#screen;
    const { columns, rows } = toImageBounds(width);
    // An image needs a row below it.
    return !cell || this.#images.areDrawn(images, { columns, rows: Math.min(rows, terminal.rows - 1), cell });
  }

  #hasGrammars(text: string): boolean {
    return !text.includes('```') || this.#areGrammarsLoaded();
  }

  /** False: they are being loaded. */
  #areGrammarsLoaded(): boolean {
    const { highlighter } = this.#style;
    if (highlighter.isLoaded) return true;
    void highlighter.load().then(() => this.#screen.requestRender());
    return false;
  }

  /**
   * A message that is being streamed. Its closed parts are finished, and the complete rows of the one that grows, if
   * everything before them is. The screen keeps what is left so short that no window moves it to the scrollback.
   *
   * @returns About the rest that is shown.
   */
  #addPartial(
    id: string,
    { text, thinking, parts }: PartialMessage,
    to: { options: CallViewOptions; finished: string[] | undefined; live: string[] },
  ): Pick<Growing, 'leave' | 'isUndivided'> {
    const { options, finished, live } = to;
    const list = parts.list();
    const written = toWritten(this.#written.get(id), list);
    if (text.text === '' && thinking.text !== '') live.push('', ...this.#toThinking(thinking.text, options.width));
    const toBlock = (index: number, to?: Place): readonly string[] => {
      const from = index === written.parts ? written.place : START;
      const lines = toPartBlock(list, index, { ...options, from, to });
      if (index > 0 || from.at > 0 || lines.length === 0) return lines;
      const thought = toThinkingLines(thinking.text, options.width, this.#style);
      return ['', ...(thought.length > 0 ? [...thought, ''] : []), ...lines];
    };
    if (finished && this.#hasGrammars(text.text)) {
      for (; written.parts < list.length - 1; written.parts++, written.place = START)
        finished.push(...toBlock(written.parts));
      const plain = { ...options, style: withoutColours(this.#style) };
      const toRows = (part: string): string[] => toPartLines(part, false, plain);
      for (;;) {
        const place = findFinal(list[written.parts]!, written.place, toRows);
        if (!place) break;
        finished.push(...toBlock(written.parts, place));
        written.place = place;
      }
      if (written.parts > 0 || written.place.at > 0) this.#written.set(id, written);
    }
    let isComplete = finished !== undefined && text.text !== '' && written.parts === list.length - 1;
    for (let index = written.parts; index < list.length; index++) {
      const lines = toBlock(index);
      const shown = this.#toEnd(lines, options.width);
      isComplete &&= lines.length === shown.length;
      live.push(...shown);
    }
    const end = list.at(-1)!;
    const { last, isUndivided } = listEnds(end, end.length);
    const all = last && { parts: list.length - 1, place: { ...last, at: end.length } };
    return { isUndivided, leave: isComplete && all ? () => void this.#written.set(id, all) : undefined };
  }

  /** The end of a block that still grows. */
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
