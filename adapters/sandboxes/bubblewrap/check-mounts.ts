import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { contains } from '../paths.ts';
import { toSource, type WorkspaceView } from '../view.ts';

/** One line of mountinfo. @source man 5 proc_pid_mountinfo */
export interface MountRow {
  /** Device of the filesystem. */
  device: string;
  /** What of the filesystem is shown. */
  root: string;
  point: string;
  type: string;
}

/** A process that is gone has no mounts. */
const SELF = '/proc/self/mountinfo';

/**
 * Compares what is mounted in a sandbox at the workspace, and at the folders beside it, with what was asked for. bubblewrap
 * finds what it mounts by its path; a process that is at work there can put a symlink in the place of a folder in between.
 *
 * @param pid A process inside, before the command has begun.
 * @param folders What is looked at, as the sandbox names it.
 * @param words Arguments of bubblewrap.
 * @returns The first path where something else is mounted; undefined when everything is as it should be.
 */
export function findForeignMount(
  pid: number,
  { view, folders, words }: { view: WorkspaceView; folders: readonly string[]; words: readonly string[] },
): string | undefined {
  const host = readMounts(SELF);
  const binds = toBinds(words);
  const devices = new Set(host.map(({ device }) => device));
  return readMountRows(pid).find((row) => {
    if (!folders.some((folder) => contains(folder, row.point))) return false;
    // Only bubblewrap's own: a folder that is hidden, and what hides a file.
    if (row.type === 'tmpfs' && row.root === '/' && !devices.has(row.device)) return false;
    const sources = [toSource(view, row.point), ...(binds.get(row.point) ?? [])];
    return !sources.some((source) => isShown(source, row, host));
  })?.point;
}

/** True when the mount shows what is at this path of the host, by the path alone. */
function isShown(path: string, { device, root }: MountRow, host: readonly MountRow[]): boolean {
  // The last of several mounts at one point is the one in sight.
  const holder = host.findLast(
    ({ point }) =>
      contains(point, path) && !host.some((other) => other.point.length > point.length && contains(other.point, path)),
  );
  if (!holder || holder.device !== device) return false;
  const below = relative(holder.point, path);
  return root === (below === '' ? holder.root : `${holder.root === '/' ? '' : holder.root}/${below}`);
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

/** What a process sees mounted. @throws The system's error when it is gone. */
export function readMountRows(pid: number): MountRow[] {
  return readMounts(`/proc/${pid}/mountinfo`);
}

function readMounts(file: string): MountRow[] {
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => {
    const [, , device = '', root = '', point = ''] = line.split(' ');
    const type = line.slice(line.indexOf(' - ') + 3).split(' ')[0]!;
    return { device, root: unescape(root), point: unescape(point), type };
  });
}

function unescape(text: string): string {
  return text.replaceAll(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
}
