import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export type StoredQueue = ReturnType<typeof openStoredQueue>;

/**
 * The sessions of a server with their order, on disk: one file for each session, which contains its place. A file that a
 * kill left without a place is first, so that its session is resumed.
 */
export function openStoredQueue(folder: string) {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const placeOf = (id: string): number => Number(readFileSync(join(folder, id), 'utf8')) || 0;
  const places = new Map(readdirSync(folder).map((id) => [id, placeOf(id)]));
  let last = Math.max(0, ...places.values());
  const write = (id: string, place: number): void => {
    if (places.get(id) === place) return;
    writeFileSync(join(folder, id), String(place), { mode: 0o600 });
    places.set(id, place);
  };
  return {
    /** Ids in their order. */
    list: (): string[] => [...places].sort(([, a], [, b]) => a - b).map(([id]) => id),
    has: (id: string): boolean => places.has(id),
    /** Puts a session at the end. */
    add(id: string): void {
      write(id, (last += 1));
    },
    /** Gives stored sessions another order, in the places that they have. */
    order(ids: readonly string[]): void {
      const sorted = ids.map((id) => places.get(id) ?? 0).sort((a, b) => a - b);
      for (const [at, id] of ids.entries()) write(id, sorted[at]!);
    },
    remove(id: string): void {
      rmSync(join(folder, id), { force: true });
      places.delete(id);
    },
  };
}
