import { readFileSync, renameSync, writeFileSync, type BigIntStats } from 'node:fs';
import { z } from 'zod';
import { bootId } from './owner.ts';

/** The state of an entry of a working copy after its last update. */
export interface CopyRow {
  /** Signature of the workspace's file; '' when it had changed too recently to detect later changes. */
  source: string;
  copy: string;
}

/** The entries of a working copy by path. */
export type CopyIndex = Map<string, CopyRow>;

/**
 * Identifies the state of a file. Programs cannot set the change time, so equal signatures mean equal files. The
 * signature of a folder contains only its identity, mode and owner.
 */
export function toSignature(stat: BigIntStats): string {
  const { ino, mode, uid, gid } = stat;
  if (stat.isDirectory()) return ['d', ino, mode, uid, gid].join('.');
  return ['f', ino, mode, uid, gid, stat.size, stat.mtimeNs, stat.ctimeNs].join('.');
}

export function isFolderRow(row: CopyRow): boolean {
  return row.copy.startsWith('d');
}

const fileSchema = z.object({
  version: z.literal(1),
  boot: z.string(),
  root: z.string(),
  /** Path, source, copy, and so on. */
  rows: z.array(z.string()),
});

/** @param root Path, device and inode of the copied workspace. */
export function saveIndex(file: string, root: string, index: CopyIndex): void {
  const rows = [...index].flatMap(([path, row]) => [path, row.source, row.copy]);
  writeFileSync(`${file}.new`, JSON.stringify({ version: 1, boot: bootId(), root, rows }), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

/**
 * The stored index. Empty when there is none, when it is of another workspace, or from before the last start of the
 * machine: a power loss can lose the content of files and preserve their times.
 */
export function loadIndex(file: string, root: string): CopyIndex {
  const index: CopyIndex = new Map();
  const rows = readRows(file, root);
  for (let at = 0; at + 2 < rows.length; at += 3) index.set(rows[at]!, { source: rows[at + 1]!, copy: rows[at + 2]! });
  return index;
}

function readRows(file: string, root: string): string[] {
  try {
    const index = fileSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
    return index.boot === bootId() && index.root === root ? index.rows : [];
  } catch {
    return [];
  }
}
