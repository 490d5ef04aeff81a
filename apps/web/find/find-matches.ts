import type { CallEntry } from '@klaus/core/conversation';
import type { Row } from '../conversation/rows.ts';
import { toSubject } from '../conversation/subject.ts';
import { toShownText } from './shown-text.ts';

/** One occurrence of the searched text. */
export interface FindMatch {
  /** Index of the row. */
  row: number;
  /** The how-manieth occurrence in its row, from 0. */
  nth: number;
  /** Keys of saved states that show folded content. */
  opens: readonly string[];
}

interface Part {
  text: string;
  opens: readonly string[];
}

/** Occurrences that are counted at most. */
export const MAX_MATCHES = 10_000;

// Colours and other controls of terminals are not shown.
const CONTROLS = /\u001b\[[0-9;?]*[A-Za-z]/g;

function toCallParts({ id, name, input, result, diff }: CallEntry, above: readonly string[]): Part[] {
  const opens = [...above, `call ${id}`];
  return [
    { text: `${name} ${toSubject(input)}`, opens: above },
    ...(diff === undefined ? [] : [{ text: diff, opens }]),
    ...(result ? [{ text: result.output.replaceAll(CONTROLS, ''), opens: [...opens, `output ${id}`] }] : []),
  ];
}

/** Texts of answers. A long session has thousands, and they are needed for every character of a query. */
const answers = new WeakMap<Row, string>();

function toAnswerText(row: Extract<Row, { kind: 'answer' }>): string {
  const known = answers.get(row);
  if (known !== undefined) return known;
  const text = toShownText(row.text);
  answers.set(row, text);
  return text;
}

/** The texts of a row in the order in which it shows them. */
function toParts(row: Row): Part[] {
  if (row.kind === 'answer') {
    const { id, thinking } = row;
    return [
      { text: thinking, opens: [`thinking ${id}`] },
      { text: toAnswerText(row), opens: [] },
    ];
  }
  if (row.kind === 'group') return row.calls.flatMap((call) => toCallParts(call, [`group ${row.calls[0]!.id}`]));
  if (row.kind !== 'entry') return [];
  const { entry } = row;
  if (entry.kind === 'user') return [{ text: entry.text, opens: [`said ${entry.id}`] }];
  if (entry.kind === 'call') return toCallParts(entry, []);
  return entry.kind === 'limit' ? [{ text: entry.asked.title, opens: [] }] : [];
}

/** All occurrences of a text in rows, without regard to case. None for an empty text. */
export function findMatches(rows: readonly Row[], query: string): FindMatch[] {
  const wanted = query.toLowerCase();
  const matches: FindMatch[] = [];
  if (wanted === '') return matches;
  rows.forEach((row, index) => {
    let nth = 0;
    for (const { text, opens } of toParts(row)) {
      const lower = text.toLowerCase();
      for (let at = lower.indexOf(wanted); at >= 0; at = lower.indexOf(wanted, at + wanted.length)) {
        if (matches.length >= MAX_MATCHES) return;
        matches.push({ row: index, nth: nth++, opens });
      }
    }
  });
  return matches;
}
