import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { contains } from '../../paths.ts';
import { toSource, type WorkspaceView } from '../../view.ts';

/** One line of mountinfo. @source man 5 proc_pid_mountinfo */
export interface MountRow {
  device: string;
  /** Path in the filesystem that is mounted. */
  root: string;
  point: string;
  type: string;
}

export interface MountExpectation {
  view: WorkspaceView;
  /** Folders to check, as paths in the sandbox. */
  folders: readonly string[];
  /** Arguments of bubblewrap. */
  words: readonly string[];
  /** Mount points that may have disappeared because the sandbox was prestarted. */
  expected?: readonly string[];
}

/**
 * Compares the mounts of a sandbox in the workspace, and in the folders outside it, with the requested ones. bubblewrap
 * mounts by path, and another process can replace a folder with a symlink at the same time.
 *
 * @param pid A process in the sandbox, before the command has begun.
 * @returns The first path with a wrong mount; undefined when all mounts are correct.
 */
export function findForeignMount(
  pid: number,
  { view, folders, words, expected }: MountExpectation,
): string | undefined {
  const host = readMounts('self');
  const binds = toBinds(words);
  const devices = new Set(host.map(({ device }) => device));
  const rows = readMounts(pid);
  const lost = expected && findLost(rows, expected);
  if (lost !== undefined) return lost;
  return rows.find((row) => {
    if (!folders.some((folder) => contains(folder, row.point))) return false;
    // A tmpfs of bubblewrap, which hides a folder or a file.
    if (row.type === 'tmpfs' && row.root === '/' && !devices.has(row.device)) return false;
    const sources = [toSource(view, row.point), ...(binds.get(row.point) ?? [])];
    return !sources.some((source) => isShown(source, row, host));
  })?.point;
}

/** A mount point that disappeared, or whose source was deleted. */
function findLost(rows: readonly MountRow[], expected: readonly string[]): string | undefined {
  // Replacing a file removes the mount on it; where the file itself is mounted, the old content stays visible.
  const stale = rows.find(({ root }) => root.endsWith('//deleted'));
  const points = new Set(rows.map(({ point }) => point));
  return stale?.point ?? expected.find((target) => !points.has(target));
}

/** True when the mount shows the file or folder at this path of the host, according to the mount tables. */
function isShown(path: string, { device, root }: MountRow, host: readonly MountRow[]): boolean {
  let holder: MountRow | undefined;
  // Of several mounts at one point the last one is visible.
  for (const each of host)
    if (isBelow(each.point, path) && each.point.length >= (holder?.point.length ?? 0)) holder = each;
  if (!holder || holder.device !== device) return false;
  const below = relative(holder.point, path);
  return root === (below === '' ? holder.root : `${holder.root === '/' ? '' : holder.root}/${below}`);
}

/** As {@link contains}, for normalized paths of the kernel. */
function isBelow(folder: string, path: string): boolean {
  return folder === '/' || path === folder || path.startsWith(`${folder}/`);
}

/** Sources by target. */
function toBinds(words: readonly string[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const [at, word] of words.entries()) {
    if (!/^--(?:ro-|dev-)?bind(?:-try)?$/.test(word)) continue;
    const [source, target] = [words[at + 1]!, words[at + 2]!];
    found.set(target, [...(found.get(target) ?? []), source]);
  }
  return found;
}

/** The mounts of a process. @throws The system's error when it has ended. */
function readMounts(pid: number | 'self'): MountRow[] {
  const lines = readFileSync(`/proc/${pid}/mountinfo`, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => {
    const [, , device = '', root = '', point = ''] = line.split(' ');
    const type = line.slice(line.indexOf(' - ') + 3).split(' ')[0]!;
    return { device, root: unescape(root), point: unescape(point), type };
  });
}

/** Mount points of a process; empty when it has ended. */
export function readMountPoints(pid: number): Set<string> {
  try {
    return new Set(readMounts(pid).map(({ point }) => point));
  } catch {
    return new Set();
  }
}

function unescape(text: string): string {
  return text.replaceAll(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
}
