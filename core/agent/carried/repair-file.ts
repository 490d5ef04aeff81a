import type { TreeChange, TreeEntry, TreeId } from '../../protocol/index.ts';
import { readText } from '../git/git-text.ts';
import { resolveInside } from '../places/resolve-inside.ts';
import type { Snapshots } from '../ports/snapshots.ts';
import { toChange } from '../workspace/tree-row.ts';
import type { GitFile } from './git-file.ts';

interface RepairInput {
  file: GitFile;
  /** The new lines that name new content. */
  bad: ReadonlySet<string>;
  /** The content of a file of the git folder before the turn. Undefined for a new repository. */
  was: ((name: string) => Promise<string | undefined>) | undefined;
  isNamed: (path: string) => boolean;
}

/** Restores a file of git's own data: a list without its new lines, any other file as it was. */
export async function repairFile(
  snapshots: Snapshots,
  input: RepairInput,
): Promise<{ rows: TreeChange[]; removed: string[] }> {
  const { file, bad } = input;
  const { row, name } = file;
  if (name === 'packed-refs') return repairPacked(snapshots, input);
  if (!name.startsWith('logs/')) return { rows: toChange(row.path, row.after, row.before), removed: [] };
  const text = (await readText(snapshots, row.after)) ?? '';
  const kept = text
    .split('\n')
    .filter((line) => !bad.has(line))
    .join('\n');
  const isEmpty = kept.trim() === '' && row.before === null;
  const entry = isEmpty ? null : await put(snapshots, row.after!, kept);
  return { rows: toChange(row.path, row.after, entry), removed: [] };
}

/** New refs with new content and new replacements are left out, and changed ones are as before. */
async function repairPacked(snapshots: Snapshots, { file, bad, was, isNamed }: RepairInput) {
  const { row, folder } = file;
  const old = new Map(toPacked((await readText(snapshots, row.before)) ?? ''));
  const lines: string[] = [];
  const removed: string[] = [];
  let isDropped = false;
  for (const line of ((await readText(snapshots, row.after)) ?? '').split('\n')) {
    if (line.startsWith('^')) {
      if (!isDropped) lines.push(line);
      continue;
    }
    const [id = '', name = ''] = line.split(' ');
    const isForged = name.startsWith('refs/replace/') && old.get(name) !== id && !isNamed(`${folder}/${name}`);
    isDropped = isForged || bad.has(line);
    if (!isDropped) lines.push(line);
    else {
      const former = old.get(name) ?? (await was?.(name))?.trim();
      if (former !== undefined && /^[0-9a-f]{40,64}$/.test(former)) lines.push(`${former} ${name}`);
      else removed.push(name);
    }
  }
  return { rows: toChange(row.path, row.after, await put(snapshots, row.after!, lines.join('\n'))), removed };
}

function toPacked(text: string): [name: string, id: string][] {
  return text.split('\n').flatMap((line): [string, string][] => {
    const [id = '', name = ''] = line.split(' ');
    return name.startsWith('refs/') ? [[name, id]] : [];
  });
}

function put(snapshots: Snapshots, { mode }: TreeEntry, text: string): Promise<TreeEntry> {
  return snapshots.put(new TextEncoder().encode(text), { type: 'file', mode });
}

/** The working trees of a git folder: the folder around it, or those whose `.git` file names it. */
export async function toTop(snapshots: Snapshots, tree: TreeId, folder: string): Promise<string[]> {
  if (folder === '.git') return [''];
  if (folder.endsWith('/.git')) return [folder.slice(0, -'/.git'.length)];
  return snapshots.git(tree).flatMap(({ path, head }) => {
    const [, target] = /^gitdir: *(.+)$/.exec(head) ?? [];
    return target !== undefined && resolveInside(path, target) === folder ? [path] : [];
  });
}
