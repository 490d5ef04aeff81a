import type { ChangedFile } from '../changes/changed-file.ts';
import { toLineGroups } from '../changes/line-groups.ts';
import type { GroupClass } from './classify-group.ts';

/** Prose: only its marks and line breaks are compared. */
export function classifyMarkdown({ hunks }: ChangedFile): GroupClass[] {
  return hunks.flatMap((hunk) =>
    toLineGroups(hunk).map(({ oldFrom, oldTo, newFrom, newTo }): GroupClass => {
      const before = hunk.before.slice(oldFrom, oldTo);
      const after = hunk.after.slice(newFrom, newTo);
      const all = [...before, ...after];
      if (all.every((line) => line.trim() === '')) return { kind: 'style', kinds: ['layout'], isBlank: true };
      // Spaces have a meaning in code, and two of them end a line.
      const isPlain = !isInCode(hunk.before, oldFrom) && !all.some((line) => /^\s*(?:```|~~~)|^ {4}| {2}$/.test(line));
      if (isPlain && toWords(before) === toWords(after)) return { kind: 'style', kinds: ['layout'] };
      if (before.every((line) => line.trim() === '')) return { kind: 'added' };
      if (after.every((line) => line.trim() === '')) return { kind: 'removed' };
      return isPlain && isClearEdit(before, after)
        ? { kind: 'code', text: all.join('\n') }
        : { kind: 'unclear', why: 'prose' };
    }),
  );
}

function isInCode(lines: readonly string[], at: number): boolean {
  return lines.slice(0, at).filter((line) => /^\s*(?:```|~~~)/.test(line)).length % 2 === 1;
}

/** The words without marks of lists, emphasis, headings and tables. */
function toWords(lines: readonly string[]): string {
  return lines
    .map((line) =>
      line
        .trim()
        .replace(/^[*+-]\s+/, '- ')
        .replaceAll(/(?<![\w*])(?:__|\*\*)(?=\S)|(?<=\S)(?:__|\*\*)(?![\w*])/g, '**')
        .replaceAll(/(?<![\w*_])[_*](?=\w)|(?<=\w)[_*](?![\w*_])/g, '*')
        .replaceAll(/\|\s*:?-+:?\s*(?=\|)/g, '|-')
        .replaceAll(/\s*\|\s*/g, '|'),
    )
    .join(' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** One line each, with the same marks at its start. */
function isClearEdit(before: readonly string[], after: readonly string[]): boolean {
  const toMarks = (line: string) => /^\s*(?:[*+-]|\d+\.|#+|\|)?/.exec(line)![0];
  return before.length === after.length && before.every((line, at) => toMarks(line) === toMarks(after[at]!));
}
