import { parseDiff, toChangedWords, toDiffLines, toPairs, type DiffLine } from '@klaus/sdk/conversation';
import type { Hunk } from '@klaus/sdk';
import { wrapTextWithAnsi } from '../screen/index.ts';
import type { Palette } from '../style/palette.ts';
import { toSafe } from './wrap.ts';

/** A unified diff with the changed words of each line, one line of the terminal for each of its lines. */
export function toDiffView(diff: string, width: number, palette: Palette): string[] {
  const hunks = parseDiff(diff);
  const paths = new Set(hunks.map(({ path }) => path));
  let last = '';
  return hunks.flatMap((hunk, index) => {
    const lines = toHunkView(hunk, width, palette);
    const isNewFile = hunk.path !== last;
    last = hunk.path;
    if (isNewFile && paths.size > 1) return [palette.strong(toSafe(hunk.path)), ...lines];
    return index === 0 || isNewFile ? lines : [palette.muted('   …'), ...lines];
  });
}

export function toHunkView(hunk: Hunk, width: number, palette: Palette): string[] {
  const lines = toDiffLines(hunk);
  const texts = markWords(lines, palette);
  const digits = String(Math.max(0, ...lines.map((line) => line.new ?? line.old ?? 0))).length;
  const room = Math.max(1, width - digits - 3);
  return lines.flatMap((line) => {
    const number = palette.muted(String(line.new ?? line.old ?? '').padStart(digits));
    const style = line.kind === 'added' ? palette.added : line.kind === 'removed' ? palette.removed : undefined;
    if (line.kind === 'note') return palette.muted(`${' '.repeat(digits)}   ${toSafe(line.text)}`);
    const sign = line.kind === 'added' ? '+ ' : line.kind === 'removed' ? '- ' : '  ';
    // Every character is shown: a user decides about it.
    const rows = wrapTextWithAnsi(texts.get(line) ?? toSafe(line.text), room);
    return rows.map((row, index) => {
      const text = `${index === 0 ? sign : '  '}${row}`;
      return `${index === 0 ? number : ' '.repeat(digits)} ${style ? style(text) : text}`;
    });
  });
}

/** The texts of changed lines whose changed words are marked. */
function markWords(lines: readonly DiffLine[], palette: Palette): Map<DiffLine, string> {
  const texts = new Map<DiffLine, string>();
  for (const { left, right } of toPairs(lines)) {
    if (!left || !right || left === right) continue;
    const words = toChangedWords(left.text, right.text);
    if (!words) continue;
    const toText = (side: 'added' | 'removed'): string => {
      const [base, word] =
        side === 'added' ? [palette.added, palette.addedWord] : [palette.removed, palette.removedWord];
      return words[side].map(({ text, isChanged }) => (isChanged ? word : base)(toSafe(text))).join('');
    };
    texts.set(left, toText('removed'));
    texts.set(right, toText('added'));
  }
  return texts;
}
