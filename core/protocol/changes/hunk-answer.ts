import type { HunkAnswer } from '../authority/approval.ts';
import type { Hunk } from './hunk.ts';

/** The line of the new file, from 1, at which a hunk begins to change it: the context before it is left out. */
export function toChangedLine({ newStart, lines }: Pick<Hunk, 'newStart' | 'lines'>): number {
  const at = lines.findIndex((line) => /^[-+]/.test(line));
  return newStart + Math.max(0, at);
}

/** The hunks of a change that an answer does not put in place as they are. */
export function toRejected(hunks: readonly Hunk[], { accepted, edited = [] }: HunkAnswer): Hunk[] {
  const kept = new Set([...accepted, ...edited.map(({ id }) => id)]);
  return hunks.filter(({ id }) => !kept.has(id));
}
