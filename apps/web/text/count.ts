import { pluralize } from '@klaus/core/pluralize';

/** Makes `count` for a language: `1 file`, `2 files`. */
export function createCount(language: string): (n: number, one: string, other: string) => string {
  return (n, one, other) => `${n.toLocaleString(language)} ${pluralize(n, [one, other], language)}`;
}
