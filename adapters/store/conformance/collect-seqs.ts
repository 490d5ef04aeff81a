import type { Store } from '@klaus/core/agent';

/** The numbers from `from` to `to`. */
export function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

/** Subscribes and resolves with all delivered seqs as soon as `last` is delivered. */
export function collect(
  store: Store,
  session: string,
  { after, last }: { after: number; last: number },
): Promise<number[]> {
  const seen: number[] = [];
  return new Promise((resolve) => {
    store.subscribe(session, after, (event) => {
      seen.push(event.seq);
      if (event.seq === last) resolve(seen);
    });
  });
}
