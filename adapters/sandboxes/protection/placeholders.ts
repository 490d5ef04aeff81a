import { mkdirSync, readFileSync, rmdirSync, unlinkSync, writeFileSync } from 'node:fs';

/** Something that must not come into being while a command runs: it is made, mounted read-only and taken away again. */
export interface Placeholder {
  path: string;
  /** Of a file; without it, an empty folder. */
  content?: string;
}

/** How many commands lean on each. A removal on the host would lift the mounts of all others. */
const leaning = new Map<string, number>();

/**
 * Makes the places that are not there. The returned function takes them away when no other command of this
 * process needs them, unless something else has come to stand there. A Klaus that is killed leaves them: empty
 * folders that git does not list, and a file that names the folder it is in.
 *
 * @returns Those that could be made; on a filesystem that cannot be written nothing can be planted either.
 */
export function holdPlaces(places: readonly Placeholder[]): { held: Placeholder[]; release: () => void } {
  const held = places.filter((place) => {
    const count = leaning.get(place.path);
    if (count === undefined && !make(place)) return false;
    leaning.set(place.path, (count ?? 0) + 1);
    return true;
  });
  const release = () => {
    for (const place of held) {
      const count = leaning.get(place.path)! - 1;
      if (count > 0) leaning.set(place.path, count);
      else {
        leaning.delete(place.path);
        remove(place);
      }
    }
  };
  return { held, release };
}

/** Takes away places that an earlier Klaus made for a command of its, unless a command of this process needs them. */
export function removePlaces(places: readonly Placeholder[]): void {
  for (const place of places) if (!leaning.has(place.path)) remove(place);
}

/** True for a place that another command of this process made a moment ago. */
export function isPlaceholder(path: string): boolean {
  return leaning.has(path);
}

function make({ path, content }: Placeholder): boolean {
  try {
    if (content === undefined) mkdirSync(path);
    else writeFileSync(path, content, { flag: 'wx' });
    return true;
  } catch {
    return false;
  }
}

function remove({ path, content }: Placeholder): void {
  try {
    if (content === undefined) rmdirSync(path);
    else if (readFileSync(path, 'utf8') === content) unlinkSync(path);
  } catch {
    // Gone, or filled by somebody else: not ours to remove.
  }
}
