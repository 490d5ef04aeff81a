import {
  type BigIntStats,
  closeSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  statfsSync,
  unlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { isBelow, type NameComparison } from '@klaus/core/policy';
import { toTemporaryName } from './temporary-name.ts';

/**
 * File systems of Linux whose names are bytes, except where a folder or the complete file system ignores case, by `f_type`
 * of statfs: ext, XFS, Btrfs, tmpfs, overlay, ramfs, F2FS, bcachefs, EROFS, SquashFS. All others can take several names
 * for one in further ways, which nothing shows: the server of a network file system, or a program, decides.
 */
const NAMES_ARE_BYTES: ReadonlySet<number> = new Set([
  0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0x858458f6, 0xf2f52010, 0xca451a4e, 0xe0f5e1e2, 0x73717368,
]);

/** Certain answers, by device and folder. A folder that is mounted again has another device or another answer to ask for. */
const answers = new Map<string, NameComparison>();

/**
 * How names are compared in these folders and in what is mounted below them: `folded` if any of their file systems takes
 * two names for the same file, or cannot be asked. Each mount is asked once.
 *
 * @param folders Absolute real paths.
 */
export function compareNames(folders: readonly string[]): NameComparison {
  if (process.platform !== 'linux') return 'folded';
  const places = new Set([...folders, ...mountsBelow(folders)]);
  return [...places].some((folder) => askFolder(folder) === 'folded') ? 'folded' : 'exact';
}

/** Absolute paths at which something is mounted. @param folders Absolute real paths. */
export function mountsBelow(folders: readonly string[]): string[] {
  if (process.platform !== 'linux') return [];
  const lines = readFileSync('/proc/self/mountinfo', 'utf8').split('\n');
  return lines.flatMap((line) => {
    const path = (line.split(' ')[4] ?? '').replaceAll(/\\([0-7]{3})/g, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 8)),
    );
    return folders.some((folder) => path !== folder && isBelow(path, folder)) ? [path] : [];
  });
}

function askFolder(folder: string): NameComparison {
  const stat = tryStat(folder);
  // What does not exist has no names.
  if (stat === undefined) return 'exact';
  // Nothing in it has a name, so it is a file that is mounted.
  if (!stat.isDirectory()) return 'exact';
  const key = `${stat.dev}:${folder}`;
  const known = answers.get(key);
  if (known !== undefined) return known;
  try {
    if (!NAMES_ARE_BYTES.has(statfsSync(folder).type)) return 'folded';
    const answer = ignoresCase(folder) ? 'folded' : 'exact';
    answers.set(key, answer);
    return answer;
  } catch {
    return 'folded';
  }
}

/** @throws Error if it cannot be asked: an empty folder that cannot be written. */
function ignoresCase(folder: string): boolean {
  const name = readdirSync(folder).find((each) => swapCase(each) !== each);
  if (name !== undefined) return isSame(folder, name);
  const temporary = toTemporaryName();
  closeSync(openSync(join(folder, temporary), 'wx', 0o600));
  try {
    return isSame(folder, temporary);
  } finally {
    unlinkSync(join(folder, temporary));
  }
}

function isSame(folder: string, name: string): boolean {
  const [one, other] = [tryStat(join(folder, name)), tryStat(join(folder, swapCase(name)))];
  return one !== undefined && one.ino === other?.ino && one.dev === other.dev;
}

function swapCase(name: string): string {
  return name.replaceAll(/[a-zA-Z]/g, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  );
}

function tryStat(path: string): BigIntStats | undefined {
  return lstatSync(path, { bigint: true, throwIfNoEntry: false });
}
