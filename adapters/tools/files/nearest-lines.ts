import { headOf } from '@klaus/core/cut-text';

export interface NearestLines {
  /** From 0. */
  start: number;
  count: number;
  why: string;
}

/** Most lines of the searched text that are compared, so that the search stays linear. */
const MAX_WANTED = 60;

/**
 * Finds the lines of `have` that are most similar to `want`: by lines that differ only in whitespace, else by the words
 * of the longest line of `want`.
 */
export function findNearest(have: readonly string[], want: readonly string[]): NearestLines | undefined {
  const wanted = want.slice(0, MAX_WANTED);
  const filled = [...wanted.keys()].filter((i) => squeeze(wanted[i]!) !== '');
  const places = Map.groupBy(filled, (i) => squeeze(wanted[i]!));
  const votes = new Map<number, number>();
  have.forEach((line, i) => {
    for (const at of places.get(squeeze(line)) ?? []) votes.set(i - at, (votes.get(i - at) ?? 0) + 1);
  });
  let best: [start: number, votes: number] | undefined;
  for (const entry of votes)
    if (!best || entry[1] > best[1] || (entry[1] === best[1] && entry[0] < best[0])) best = entry;
  const start = best ? Math.max(0, best[0]) : findByWords(have, wanted);
  if (start === undefined) return undefined;
  const count = Math.min(want.length, have.length - start);
  return { start, count, why: explain(have.slice(start, start + count), want, start) };
}

export function showLines(have: readonly string[], start: number, count: number): string {
  const shown = have
    .slice(start, start + Math.min(count, 20))
    .map((line, i) => `${start + i + 1}\t${headOf(line, 300)}`);
  if (count > 20) shown.push('…');
  return shown.join('\n');
}

function squeeze(line: string): string {
  return line.replaceAll(/\s+/g, '');
}

function findByWords(have: readonly string[], wanted: readonly string[]): number | undefined {
  const longest = wanted.reduce((a, b) => (b.length > a.length ? b : a), '');
  const words = new Set(toWords(longest));
  if (words.size === 0) return undefined;
  let best = { score: 0.4, at: -1 };
  have.forEach((line, i) => {
    const own = new Set(toWords(line));
    if (own.size === 0) return;
    let common = 0;
    for (const word of own) if (words.has(word)) common++;
    const score = (2 * common) / (own.size + words.size);
    if (score > best.score) best = { score, at: i };
  });
  return best.at < 0 ? undefined : Math.max(0, best.at - wanted.indexOf(longest));
}

function toWords(line: string): string[] {
  return headOf(line, 1_000).match(/[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? [];
}

function explain(have: readonly string[], want: readonly string[], start: number): string {
  for (let i = 0; i < want.length; i++) {
    const [own, other] = [have[i], want[i]!];
    if (own === undefined) return `the file ends after line ${start + have.length}`;
    if (own === other) continue;
    if (squeeze(own) === squeeze(other))
      return `line ${start + i + 1} differs in whitespace: ${describeSpace(own, other)}`;
    return `line ${start + i + 1} differs; expected: ${JSON.stringify(headOf(other, 200))}`;
  }
  return 'the lines match, but not the start or end of the text';
}

function describeSpace(own: string, other: string): string {
  const indent = (line: string) => /^\s*/.exec(line)![0];
  if (indent(own) !== indent(other))
    return `the file has ${nameSpace(indent(own))} before the text, not ${nameSpace(indent(other))}`;
  if (own.trimEnd() === other.trimEnd()) return 'at the end of the line';
  return 'inside the line';
}

function nameSpace(space: string): string {
  if (space === '') return 'no space';
  const tabs = space.split('\t').length - 1;
  const spaces = space.length - tabs;
  const parts = [
    tabs > 0 ? `${tabs} tab${tabs > 1 ? 's' : ''}` : '',
    spaces > 0 ? `${spaces} space${spaces > 1 ? 's' : ''}` : '',
  ];
  return parts.filter((part) => part !== '').join(' and ');
}
