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
  writeSync,
  type BigIntStats,
} from 'node:fs';
import { copyFile } from 'node:fs/promises';
import type { Directory } from '../directory.ts';
import { codeOf } from '../race-error.ts';
import { toSignature, type CopyRow } from './copy-index.ts';
import { pathOf, statOf } from './names.ts';
import type { DiskSpace } from './disk-space.ts';

/** Up to this size a file is copied in one go; larger ones by the system, sharing their blocks where it can. */
const SMALL = 2 ** 20;
const TRIES = 3;
/** Nanoseconds: the coarsest clock of a filesystem in use. */
const COARSEST = 2_000_000_000n;

export interface CopyTarget {
  source: Directory;
  copy: Directory;
  /** Nothing stands at this name in `copy`. */
  name: string;
  space: DiskSpace;
  /** Nanoseconds since 1970 when the pass began. */
  began: bigint;
}

/**
 * Copies one file with mode, owner (as root) and times, not its attributes; other names of the same file become
 * files of their own. Undefined when it is gone or may not be read: then a command could not read it either.
 */
export async function copyRegular(target: CopyTarget): Promise<CopyRow | undefined> {
  const { source, copy, name } = target;
  let fd: number;
  try {
    // A name that was swapped for a link or a pipe since it was looked at is neither followed nor waited for.
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
      copyMetadata(copy, name, after);
      return {
        source: isSteady && isOld(target, after) ? toSignature(after) : '',
        copy: toSignature(statOf(copy, name)!),
      };
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
    // Gone, or something else by now.
    if (['ENOENT', 'EINVAL'].includes(codeOf(error))) return undefined;
    throw error;
  }
  copyMetadata(copy, name, stat);
  return {
    source: isOld(target, stat) ? toSignature(stat) : '',
    copy: toSignature(statOf(copy, name)!),
  };
}

/** A file that is younger than its filesystem's clock can tell may still change without a trace. */
function isOld({ began }: CopyTarget, stat: BigIntStats): boolean {
  return stat.ctimeNs < began - COARSEST;
}

function copySmall(fd: number, { copy, name }: CopyTarget, size: number): void {
  // One byte more, so that a file that is growing fills it and is seen to be another one afterwards.
  const content = Buffer.allocUnsafe(size + 1);
  let length = 0;
  for (let read = 1; read > 0 && length < content.length; length += read) {
    read = readSync(fd, content, length, content.length - length, length);
  }
  const out = openSync(
    pathOf(copy, name),
    constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW,
    0o600,
  );
  try {
    for (let written = 0; written < length;) written += writeSync(out, content, written, length - written);
  } finally {
    closeSync(out);
  }
}

async function copyLarge(fd: number, { source, copy, name }: CopyTarget): Promise<void> {
  const viaDescriptor = source.child('').startsWith('/proc/self/fd/');
  const from = viaDescriptor ? `/proc/self/fd/${fd}` : pathOf(source, name);
  await copyFile(from, pathOf(copy, name), constants.COPYFILE_FICLONE);
}

/** Owner, mode and times, in the order in which one does not spoil the other. */
export function copyMetadata(copy: Directory, name: string, stat: BigIntStats): void {
  const path = pathOf(copy, name);
  const now = statOf(copy, name)!;
  if (process.geteuid?.() === 0 && (now.uid !== stat.uid || now.gid !== stat.gid))
    lchownSync(path, Number(stat.uid), Number(stat.gid));
  if (!stat.isSymbolicLink()) chmodSync(path, Number(stat.mode) & 0o7777);
  lutimesSync(path, Number(stat.atimeNs) / 1e9, Number(stat.mtimeNs) / 1e9);
}
