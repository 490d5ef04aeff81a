import { parseDiff, toChangedWords, toDiffLines, toPairs, type DiffLine } from '@klaus/sdk/conversation';
import type { Hunk } from '@klaus/sdk';
import { visibleWidth, wrapTextWithAnsi } from '../screen/index.ts';
import type { CodeRole } from '../style/highlighter.ts';
import type { Palette, Role } from '../style/palette.ts';
import type { ViewStyle } from './view-style.ts';
import { toSafe } from './wrap.ts';

type DiffStyle = Pick<ViewStyle, 'palette' | 'highlighter'>;

/**
 * A unified diff with its code in colours and the changed words of each line, one line of the terminal for each of its lines.
 *
 * @param style.isNamed True: the path of a single file is shown too. Default false: what is around the diff names it.
 */
export function toDiffView(diff: string, width: number, style: DiffStyle & { isNamed?: boolean }): string[] {
  const hunks = parseDiff(diff);
  const paths = new Set(hunks.map(({ path }) => path));
  const { palette, highlighter } = style;
  let last = '';
  return hunks.flatMap((hunk, index) => {
    const digits = countDigits(hunks.filter(({ path }) => path === hunk.path));
    const lines = toHunkView(hunk, width, { palette, highlighter, digits });
    const isNewFile = hunk.path !== last;
    last = hunk.path;
    if (isNewFile && (style.isNamed === true || paths.size > 1)) return [palette.strong(toSafe(hunk.path)), ...lines];
    return index === 0 || isNewFile ? lines : [palette.muted(`${' '.repeat(digits)} …`), ...lines];
  });
}

/** Digits of the largest number of a line. All hunks of a file have numbers of the same width. */
export function countDigits(hunks: readonly Hunk[]): number {
  const numbers = hunks.flatMap((hunk) => toDiffLines(hunk).map((line) => line.new ?? line.old ?? 0));
  return String(numbers.reduce((most, number) => Math.max(most, number), 0)).length;
}

export function toHunkView(
  hunk: Hunk,
  width: number,
  { palette, highlighter, digits }: DiffStyle & { digits: number },
) {
  const lines = toDiffLines(hunk);
  const words = findChangedWords(lines);
  const codes = toCodes(hunk.path, lines, highlighter);
  const room = Math.max(1, width - digits - 3);
  return lines.flatMap((line) => {
    const number = palette.muted(String(line.new ?? line.old ?? '').padStart(digits));
    if (line.kind === 'note') return palette.muted(`${' '.repeat(digits)}   ${toSafe(line.text)}`);
    const code = codes.get(line) ?? [{ text: line.text, role: undefined }];
    // Every character is shown: a user decides about it.
    if (line.kind === 'same')
      return wrapTextWithAnsi(toText(code, palette), room).map(
        (row, index) => `${index === 0 ? number : ' '.repeat(digits)}   ${row}`,
      );
    const { kind } = line;
    const rows = wrapTextWithAnsi(toChangedText({ code, words: words.get(line), kind }, palette), room);
    return rows.map((row, index) => {
      const sign = palette[kind](index > 0 ? '  ' : kind === 'added' ? '+ ' : '- ');
      const text = `${index === 0 ? number : ' '.repeat(digits)} ${sign}${row}`;
      return visibleWidth(text) < width ? `${text}${palette.changedEdge(kind)}` : text;
    });
  });
}

/** The code of each line in pieces with a role, as far as the language is known. */
function toCodes(path: string, lines: readonly DiffLine[], highlighter: DiffStyle['highlighter']) {
  const codes = new Map<DiffLine, readonly CodeRole[]>();
  for (const kind of ['removed', 'added'] as const) {
    const side = lines.filter((line) => line.kind === kind || line.kind === 'same');
    const found = highlighter.toRoles(side.map(({ text }) => text).join('\n'), path);
    if (found?.length !== side.length) continue;
    side.forEach((line, at) => codes.set(line, found[at]!));
  }
  return codes;
}

function toText(code: readonly CodeRole[], palette: Palette): string {
  return code.map(({ text, role }) => (role === undefined ? toSafe(text) : palette[role](toSafe(text)))).join('');
}

interface Word {
  text: string;
  isChanged: boolean;
}

/** A changed line: pieces of code, of which some are in changed words. */
function toChangedText(
  line: { code: readonly CodeRole[]; words: readonly Word[] | undefined; kind: 'added' | 'removed' },
  palette: Palette,
): string {
  const { code, words, kind } = line;
  const rest = (words ?? [{ text: code.map(({ text }) => text).join(''), isChanged: false }]).map((word) => ({
    ...word,
  }));
  let row = '';
  for (const piece of code) {
    for (let left = piece.text; left !== '';) {
      const word = rest[0];
      const text = word === undefined ? left : left.slice(0, word.text.length);
      left = left.slice(text.length);
      if (word) word.text = word.text.slice(text.length);
      if (word?.text === '') rest.shift();
      row += word?.isChanged
        ? palette.changed(`${kind}Word`, undefined, toSafe(text))
        : palette.changed(kind, toReadable(piece.role), toSafe(text));
    }
  }
  return row;
}

/** Comments have too little contrast on the background of a change. */
function toReadable(role: Role | undefined): Role | undefined {
  return role === 'comment' ? undefined : role;
}

/** The words of lines that were changed in a part. */
function findChangedWords(lines: readonly DiffLine[]): Map<DiffLine, readonly Word[]> {
  const found = new Map<DiffLine, readonly Word[]>();
  for (const { left, right } of toPairs(lines)) {
    if (!left || !right || left === right) continue;
    const words = toChangedWords(left.text, right.text);
    if (!words) continue;
    found.set(left, words.removed);
    found.set(right, words.added);
  }
  return found;
}
