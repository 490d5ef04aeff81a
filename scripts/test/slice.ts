/** The suites that take turns are divided into this many parts; each run takes one. */
export const SLICES = 16;

export interface Slice {
  /** From 0. */
  index: number;
  count: number;
}

/**
 * The slice that runs.
 *
 * @param chosen A number, `all` or `none`. Default: by the hash of the commit; 0 without one.
 * @throws Error for anything else.
 */
export function toSlice(chosen: string | undefined, commit: string | undefined): Slice | undefined {
  if (chosen === 'none') return undefined;
  if (chosen === 'all') return { index: 0, count: 1 };
  const index =
    chosen === undefined
      ? Number.parseInt(commit?.slice(0, 8) ?? '0', 16) % SLICES
      : /^\d+$/.test(chosen)
        ? Number(chosen)
        : -1;
  if (index < 0 || index >= SLICES)
    throw new Error(`--slice takes a number from 0 to ${SLICES - 1}, \`all\` or \`none\`.`);
  return { index, count: SLICES };
}
