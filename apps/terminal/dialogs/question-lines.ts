import type { EventOf } from '@klaus/sdk';
import { diffOf, hunksOf, isHidden } from '@klaus/sdk/conversation';
import { toLine } from '@klaus/sdk/printable';
import { describeChain, formatCount } from '@klaus/sdk/transcript';
import { toDiffView } from '../view/diff-lines.ts';
import type { ViewStyle } from '../view/view-style.ts';
import { toEnds, toSafe, wrap } from '../view/wrap.ts';

export type Question = EventOf<'approval.asked'>;

export function canRemember({ subject }: Question): boolean {
  return subject.kind === 'call' && subject.remember !== undefined;
}

/** What an approval lets happen. */
export function toRisk(question: Question): string {
  const { subject } = question;
  if (subject.kind === 'limit') return 'costs more';
  if (diffOf(question) !== undefined) return 'changes files';
  if (subject.kind !== 'call') return '';
  if (subject.escalation) return 'extends rights';
  return subject.command === undefined ? '' : 'runs a command';
}

/** What is needed to decide, without the title. @param max Lines of a diff or a command. */
export function toQuestionRows(question: Question, width: number, given: { style: ViewStyle; max: number }): string[] {
  const { style, max } = given;
  const { palette } = style;
  const { subject, chain } = question;
  const fold = (lines: readonly string[]): string[] => {
    const { head, hidden } = toEnds(lines, { head: max, tail: 0 });
    return hidden === 0 ? [...head] : [...head, palette.muted(`… ${formatCount(hidden)} more lines, v shows them`)];
  };
  const lines = [
    ...(chain ? wrap(palette.warn(describeChain(chain)), width) : []),
    ...wrap(palette.muted(toSafe(question.reason)), width),
  ];
  if (subject.kind === 'limit') return lines;
  // A short command is the title.
  if ('command' in subject && subject.command !== undefined && question.title !== `run ${subject.command}`)
    lines.push(...fold(wrap(toSafe(subject.command), width, { first: palette.accent('$ '), rest: '  ', indent: 2 })));
  if (subject.kind === 'call' && subject.scripts)
    lines.push(...subject.scripts.map(({ path }) => palette.muted(`runs ${toLine(path, 200)}`)));
  const diff = diffOf(question);
  if (diff !== undefined) lines.push(...fold(toDiffView(diff, width, style)));
  for (const { note } of hunksOf(question).filter(isHidden))
    lines.push(...wrap(palette.warn(`Content not shown: ${toSafe(note ?? '')}`), width));
  return lines;
}
