import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isGone, ownName } from '../process/owner.ts';

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
    else if (content === '') writeFileSync(path, content, { flag: 'wx' });
    else makeWhole(path, content);
    return true;
  } catch {
    return false;
  }
}

/** The file comes into being with its content: left empty by a kill in between, it would stop every git command. */
function makeWhole(path: string, content: string): void {
  sweepBeside(path);
  const beside = toBeside(path, ownName());
  writeFileSync(beside, content);
  try {
    if (isEmptyFile(path)) unlinkSync(path);
    linkSync(beside, path);
  } catch (error) {
    // Not every filesystem has hard links.
    if (existsSync(path)) throw error;
    renameSync(beside, path);
  } finally {
    rmSync(beside, { force: true });
  }
}

/** True for what a power loss can leave of such a file. */
export function isEmptyFile(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found?.isFile() === true && found.size === 0;
}

function toBeside(path: string, owner: string): string {
  return `${path}.klaus-${owner}`;
}

/** Removes what a Klaus left that was killed while it made the file. */
function sweepBeside(path: string): void {
  const prefix = toBeside(basename(path), '');
  for (const name of readdirSync(dirname(path)))
    if (name.startsWith(prefix) && isGone(name.slice(prefix.length)))
      rmSync(join(dirname(path), name), { force: true });
}

function remove({ path, content }: Placeholder): void {
  try {
    if (content === undefined) rmdirSync(path);
    else if (readFileSync(path, 'utf8') === content) unlinkSync(path);
  } catch {
    // Gone, or filled by somebody else: not ours to remove.
  }
}
