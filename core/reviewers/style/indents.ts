import type { Language } from '../changes/language.ts';
import type { Token } from '../changes/token.ts';
import { normalize } from './normalizers.ts';

/** The indentation of each line that has a meaning. */
export function toIndents(tokens: readonly Token[], language: Language): number[] {
  const plain = normalize(tokens, language);
  return plain.filter((_, at) => at === 0 || plain[at - 1]!.kind === 'line').map(({ indent }) => indent);
}

/** True if the lines of both sides are nested alike: each width of indentation has exactly one counterpart. */
export function hasSameStructure(before: readonly Token[], after: readonly Token[], language: Language): boolean {
  const a = toIndents(before, language);
  const b = toIndents(after, language);
  const there = new Map<number, number>();
  const back = new Map<number, number>();
  return a.every((width, at) => {
    const other = b[at]!;
    if ((there.get(width) ?? other) !== other || (back.get(other) ?? width) !== width) return false;
    there.set(width, other);
    back.set(other, width);
    return true;
  });
}
