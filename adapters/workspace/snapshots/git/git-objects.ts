import { closeSync, readdirSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { openForeignFileSync } from '@klaus/adapters/system';

/** Offset of the fanout table in a version 2 pack index, after magic and version. */
const FANOUT_AT = 8;
const NAMES_AT = FANOUT_AT + 256 * 4;
const MAGIC = 0xff744f63;
const OBJECT_ID = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
const INTAKE = /^klaus-/;

/**
 * True when a git folder contains an object, as a file or in a pack. Git itself is not used, because in a repository that
 * an agent can write it may run programs. Alternates are not followed, except those of running commands.
 *
 * @param store Absolute path of the folder `objects`.
 * @source https://git-scm.com/docs/gitformat-pack, version 2 pack-*.idx files
 */
export function hasGitObject(store: string, id: string): boolean {
  if (!OBJECT_ID.test(id)) return false;
  const intakes = list(store).filter((name) => INTAKE.test(name));
  return [store, ...intakes.map((name) => join(store, name))].some(
    (folder) =>
      isFile(join(folder, id.slice(0, 2), id.slice(2))) ||
      list(join(folder, 'pack')).some((name) => name.endsWith('.idx') && isInPack(join(folder, 'pack', name), id)),
  );
}

function isInPack(file: string, id: string): boolean {
  const wanted = Buffer.from(id, 'hex');
  let descriptor: number;
  try {
    descriptor = openForeignFileSync(file);
  } catch {
    return false;
  }
  const read = (at: number, length: number): Buffer => {
    const bytes = Buffer.alloc(length);
    return bytes.subarray(0, readSync(descriptor, bytes, 0, length, at));
  };
  try {
    const head = read(0, NAMES_AT);
    if (head.length < NAMES_AT || head.readUInt32BE(0) !== MAGIC) return false;
    const first = wanted[0]!;
    let low = first === 0 ? 0 : head.readUInt32BE(FANOUT_AT + 4 * (first - 1));
    let high = head.readUInt32BE(FANOUT_AT + 4 * first);
    while (low < high) {
      const middle = (low + high) >>> 1;
      const order = read(NAMES_AT + middle * wanted.length, wanted.length).compare(wanted);
      if (order === 0) return true;
      if (order < 0) low = middle + 1;
      else high = middle;
    }
    return false;
  } finally {
    closeSync(descriptor);
  }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
