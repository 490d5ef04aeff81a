import type { Hunk, HunkAnswer } from '@klaus/sdk';
import { ANSWER_KEYS as KEYS, isEditable, isHidden, toChangedLine, toNewText } from '@klaus/sdk/conversation';
import { matchesKey } from '../screen/index.ts';
import { countDigits, toHunkView } from '../view/diff-lines.ts';
import type { ViewStyle } from '../view/view-style.ts';
import { toSafe } from '../view/wrap.ts';
import type { Dialog, DialogHost } from './dialog.ts';
import { FRAME_WIDTH, toFrame } from './frame.ts';
import { TextDialog } from './text-dialog.ts';

export interface HunkOptions {
  hunks: readonly Hunk[];
  style: ViewStyle;
  host: DialogHost;
  edit: (text: string, name: string) => Promise<string | undefined>;
  /** @param note Comments for the model; '' if there are none. */
  onAnswer: (answer: HunkAnswer, note: string) => void;
  onCancel: () => void;
}

type Verdict = { kind: 'accepted' } | { kind: 'rejected' } | { kind: 'edited'; text: string };

/** A review of a change hunk by hunk. */
export class HunkDialog implements Dialog {
  focused = false;
  readonly #options: HunkOptions;
  readonly #verdicts = new Map<string, Verdict>();
  readonly #comments: string[] = [];
  #at = 0;
  /** Lines of the hunk above the first one that is shown. */
  #top = 0;
  /** Lines of the hunk, and how many of them are shown. */
  #size = { lines: 0, shown: 0 };

  constructor(options: HunkOptions) {
    this.#options = options;
  }

  invalidate(): void {}

  handleInput(data: string): void {
    const { host, onCancel } = this.#options;
    if (matchesKey(data, 'escape')) return onCancel();
    if (matchesKey(data, 'pageDown') || matchesKey(data, 'space')) return this.#scroll(1);
    if (matchesKey(data, 'pageUp')) return this.#scroll(-1);
    if (matchesKey(data, 'up') || matchesKey(data, KEYS.previous)) return this.#show(this.#at - 1);
    if (matchesKey(data, 'down') || matchesKey(data, KEYS.next)) return this.#show(this.#at + 1);
    if (!host.isBurst) this.#act(data);
  }

  #act(data: string): void {
    const hunk = this.#options.hunks[this.#at]!;
    if (matchesKey(data, KEYS.later)) return this.#options.onCancel();
    if (matchesKey(data, KEYS.approve)) return this.#decide(hunk, { kind: 'accepted' });
    if (matchesKey(data, KEYS.reject)) return this.#decide(hunk, { kind: 'rejected' });
    if (matchesKey(data, KEYS.acceptRest)) return this.#decideRest({ kind: 'accepted' });
    if (matchesKey(data, KEYS.rejectRest)) return this.#decideRest({ kind: 'rejected' });
    if (matchesKey(data, KEYS.edit) && isEditable(hunk)) return void this.#edit(hunk);
    if (matchesKey(data, KEYS.comment)) this.#comment(hunk);
  }

  render(width: number): string[] {
    const { hunks, style, host } = this.#options;
    const { palette, highlighter } = style;
    const hunk = hunks[this.#at]!;
    const digits = countDigits(hunks.filter(({ path }) => path === hunk.path));
    const lines = toHunkView(hunk, width - FRAME_WIDTH, { palette, highlighter, digits });
    const shown = Math.max(4, host.rows - 12);
    this.#size = { lines: lines.length, shown };
    const below = Math.max(0, lines.length - this.#top - shown);
    const decided = this.#verdicts.get(hunk.id);
    const state = decided ? palette.muted(decided.kind) : '';
    const edit = isEditable(hunk) ? [[KEYS.edit, 'edit'] as const] : [];
    const scroll = lines.length > shown ? [['PgUp PgDn', 'scroll'] as const] : [];
    const toKeys = (rest: string): (readonly [string, string])[] => [
      ...[
        [KEYS.approve, 'accept'] as const,
        [KEYS.reject, 'reject'] as const,
        ...edit,
        [KEYS.comment, 'comment'] as const,
      ],
      ...[[KEYS.acceptRest, `accept ${rest}`] as const, [KEYS.rejectRest, `reject ${rest}`] as const, ...scroll],
      ...[['↑↓', 'other hunk'] as const, [KEYS.later, 'back'] as const],
    ];
    return toFrame(
      [
        ...(this.#top > 0 ? [palette.muted(`… ${this.#top} lines above`)] : []),
        ...lines.slice(this.#top, this.#top + shown),
        ...(below > 0 ? [palette.muted(`… ${below} more lines, space shows them`)] : []),
        ...(isHidden(hunk) ? [palette.warn(`Content not shown: ${toSafe(hunk.note ?? '')}`)] : []),
        ...this.#comments.map((comment) => palette.muted(comment)),
      ],
      {
        ...{ width, palette, paint: palette.warn, end: state, keys: [toKeys('the rest'), toKeys('rest')] },
        title: palette.strong(`Hunk ${this.#at + 1} of ${hunks.length}: ${toSafe(hunk.path)}`),
      },
    );
  }

  #show(to: number): void {
    const at = Math.max(0, Math.min(this.#options.hunks.length - 1, to));
    if (at !== this.#at) this.#top = 0;
    this.#at = at;
  }

  #scroll(pages: 1 | -1): void {
    const { lines, shown } = this.#size;
    this.#top = Math.max(0, Math.min(lines - shown, this.#top + pages * (shown - 1)));
  }

  #decide(hunk: Hunk, verdict: Verdict): void {
    this.#verdicts.set(hunk.id, verdict);
    const { hunks } = this.#options;
    const next = hunks.findIndex(({ id }) => !this.#verdicts.has(id));
    if (next < 0) this.#finish();
    else this.#show(next);
  }

  /** A hunk whose content is not shown is accepted only by an answer of its own. */
  #decideRest(verdict: Verdict): void {
    const { hunks } = this.#options;
    const isOpen = ({ id }: Hunk): boolean => !this.#verdicts.has(id);
    for (const hunk of hunks)
      if (isOpen(hunk) && !(verdict.kind === 'accepted' && isHidden(hunk))) this.#verdicts.set(hunk.id, verdict);
    const next = hunks.findIndex(isOpen);
    if (next < 0) this.#finish();
    else this.#show(next);
  }

  async #edit(hunk: Hunk): Promise<void> {
    const text = await this.#options.edit(toNewText(hunk), hunk.path);
    if (text !== undefined) this.#decide(hunk, { kind: 'edited', text });
    this.#options.host.requestRender();
  }

  #comment(hunk: Hunk): void {
    const { host, style } = this.#options;
    host.open(
      new TextDialog({
        title: `Comment on this hunk of ${toSafe(hunk.path)}, for the model`,
        palette: style.palette,
        // A comment answers nothing.
        isBurst: () => false,
        onEnter: (text) => {
          if (text.trim() !== '') this.#comments.push(`${hunk.path}:${toChangedLine(hunk)}: ${text.trim()}`);
          host.open(this);
        },
        onCancel: () => host.open(this),
      }),
    );
  }

  #finish(): void {
    const accepted: string[] = [];
    const edited: { id: string; text: string }[] = [];
    for (const [id, verdict] of this.#verdicts) {
      if (verdict.kind === 'accepted') accepted.push(id);
      else if (verdict.kind === 'edited') edited.push({ id, text: verdict.text });
    }
    this.#options.onAnswer({ accepted, ...(edited.length > 0 ? { edited } : {}) }, this.#comments.join('\n'));
  }
}
