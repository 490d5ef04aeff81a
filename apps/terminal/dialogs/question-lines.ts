import type { EventOf } from '@klaus/sdk';
import { diffOf, hunksOf, isHidden } from '@klaus/sdk/conversation';
import { toLine } from '@klaus/sdk/printable';
import { describeChain, formatCount } from '@klaus/sdk/transcript';
import { toDiffView } from '../view/diff-lines.ts';
import type { Palette } from '../style/palette.ts';
import { toEnds, toSafe, wrap } from '../view/wrap.ts';

export type Question = EventOf<'approval.asked'>;

export function canRemember({ subject }: Question): boolean {
  return subject.kind === 'call' && subject.remember !== undefined;
}

/** Everything that is needed to decide. @param max Lines of a diff or a command. */
export function toQuestionLines(question: Question, width: number, given: { palette: Palette; max: number }): string[] {
  const { palette, max } = given;
  const { subject, chain } = question;
  const fold = (lines: readonly string[]): string[] => {
    const { head, hidden } = toEnds(lines, { head: max, tail: 0 });
    return hidden === 0 ? [...head] : [...head, palette.muted(`… ${formatCount(hidden)} more lines, v shows them`)];
  };
  const lines = [
    ...wrap(palette.strong(toSafe(question.title)), width, { first: palette.warn('? '), rest: '  ', indent: 2 }),
    ...(chain ? [palette.warn(`  ${describeChain(chain)}`)] : []),
    ...wrap(palette.muted(toSafe(question.reason)), width, { first: '  ', indent: 2 }),
  ];
  if (subject.kind === 'limit') return lines;
  if ('command' in subject && subject.command !== undefined)
    lines.push(
      ...fold(wrap(toSafe(subject.command), width, { first: palette.accent('  $ '), rest: '    ', indent: 4 })),
    );
  if (subject.kind === 'call' && subject.scripts)
    lines.push(...subject.scripts.map(({ path }) => palette.muted(`  runs ${toLine(path, 200)}`)));
  const diff = diffOf(question);
  if (diff !== undefined) lines.push(...fold(toDiffView(diff, width - 2, palette).map((line) => `  ${line}`)));
  for (const { note } of hunksOf(question).filter(isHidden))
    lines.push(...wrap(palette.warn(`Content not shown: ${toSafe(note ?? '')}`), width, { first: '  ', indent: 2 }));
  return lines;
}
