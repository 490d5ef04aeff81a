import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  lchownSync,
  lutimesSync,
  openSync,
  readlinkSync,
  readSync,
  symlinkSync,
  writeFileSync,
  type BigIntStats,
} from 'node:fs';
import { copyFile } from 'node:fs/promises';
import type { Directory } from '../directory.ts';
import { codeOf } from '../race-error.ts';
import { toSignature, type CopyRow } from './copy-index.ts';
import { pathOf, statOf } from './names.ts';
import type { DiskSpace } from './disk-space.ts';

/** Smaller files are copied with one read. Larger ones are copied by the system, which may share blocks. */
const SMALL = 2 ** 20;
const TRIES = 3;
/** The coarsest resolution of file times, in nanoseconds. */
const COARSEST = 2_000_000_000n;

export interface CopyTarget {
  source: Directory;
  copy: Directory;
  /** A name that does not exist in `copy`. */
  name: string;
  space: DiskSpace;
  /** Start of the pass in nanoseconds since 1970. */
  began: bigint;
}

/**
 * Copies one file with mode, times and, as root, owner, but without extended attributes. Hard links become separate
 * files. Undefined when the file is missing or not readable.
 */
export async function copyRegular(target: CopyTarget): Promise<CopyRow | undefined> {
  const { source, name } = target;
  let fd: number;
  try {
    // Neither follows a link nor blocks on a pipe that has replaced the file since its check.
    fd = openSync(pathOf(source, name), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (['ENOENT', 'ELOOP', 'EACCES', 'EPERM', 'ENXIO'].includes(codeOf(error))) return undefined;
    throw error;
  }
  try {
    for (let attempt = 1; ; attempt++) {
      const before = fstatSync(fd, { bigint: true });
      if (!before.isFile()) return undefined;
      target.space.take(Number(before.size));
      if (before.size <= SMALL) copySmall(fd, target, Number(before.size));
      else await copyLarge(fd, target);
      const after = fstatSync(fd, { bigint: true });
      const isSteady = toSignature(before) === toSignature(after);
      if (!isSteady && attempt < TRIES) continue;
      return finishCopy(target, after, isSteady);
    }
  } finally {
    closeSync(fd);
  }
}

export function copyLink(target: CopyTarget, stat: BigIntStats): CopyRow | undefined {
  const { source, copy, name } = target;
  target.space.take(1);
  try {
    symlinkSync(readlinkSync(pathOf(source, name), { encoding: 'buffer' }), pathOf(copy, name));
  } catch (error) {
    // It was removed or replaced.
    if (['ENOENT', 'EINVAL'].includes(codeOf(error))) return undefined;
    throw error;
  }
  return finishCopy(target, stat, true);
}

function finishCopy({ copy, name, began }: CopyTarget, stat: BigIntStats, isSteady: boolean): CopyRow {
  copyMetadata(copy, name, stat);
  // A newer file can change without a new change time.
  const isOld = stat.ctimeNs < began - COARSEST;
  return { source: isSteady && isOld ? toSignature(stat) : '', copy: toSignature(statOf(copy, name)!) };
}

function copySmall(fd: number, { copy, name }: CopyTarget, size: number): void {
  // One byte more, to notice that the file is growing.
  const content = Buffer.allocUnsafe(size + 1);
  let length = 0;
  for (let read = 1; read > 0 && length < content.length; length += read) {
    read = readSync(fd, content, length, content.length - length, length);
  }
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW;
  const out = openSync(pathOf(copy, name), flags, 0o600);
  try {
    writeFileSync(out, content.subarray(0, length));
  } finally {
    closeSync(out);
  }
}

async function copyLarge(fd: number, { source, copy, name }: CopyTarget): Promise<void> {
  const viaDescriptor = source.child('').startsWith('/proc/self/fd/');
  const from = viaDescriptor ? `/proc/self/fd/${fd}` : pathOf(source, name);
  await copyFile(from, pathOf(copy, name), constants.COPYFILE_FICLONE);
}

/** Sets owner, mode and times, in an order in which no step resets another. */
export function copyMetadata(copy: Directory, name: string, stat: BigIntStats): void {
  const path = pathOf(copy, name);
  const now = statOf(copy, name)!;
  if (process.geteuid?.() === 0 && (now.uid !== stat.uid || now.gid !== stat.gid))
    lchownSync(path, Number(stat.uid), Number(stat.gid));
  if (!stat.isSymbolicLink()) chmodSync(path, Number(stat.mode) & 0o7777);
  lutimesSync(path, Number(stat.atimeNs) / 1e9, Number(stat.mtimeNs) / 1e9);
}
