import { foldPath, isPackageFile, placeOf } from '../../policy/index.ts';
import { type TreeChange, type TreeEntry, isRecord } from '../../protocol/index.ts';
import { scriptsOf } from '../calls/package-scripts.ts';
import type { Snapshots } from '../ports/snapshots.ts';

/** Maximum bytes of a package.json that is compared. */
const MAX_BYTES = 1_024 * 1_024;

/** True for changed scripts of an existing `package.json` outside `node_modules`. A new one runs no known script. */
export async function changesScripts(snapshots: Snapshots, { path, before, after }: TreeChange): Promise<boolean> {
  if (!isPackageFile(path) || /(?:^|\/)node_modules\//.test(path) || before?.type !== 'file' || !after) return false;
  if (after.type !== 'file' || !snapshots.isStored(after, path)) return true;
  const now = await readPackage(snapshots, after);
  return now !== undefined && scriptsOf(await read(snapshots, before)) !== scriptsOf(now.content);
}

/**
 * A created package file with the scripts of one that was deleted under another spelling of its name, which is the same
 * file for a file system that does not distinguish the two: one change of it.
 */
export function toRenamedPackage(
  rows: readonly TreeChange[],
  row: TreeChange,
): { renamed: TreeChange; deleted: TreeChange } | undefined {
  if (!isPackageFile(row.path) || row.before || !row.after) return undefined;
  const name = foldPath(row.path);
  const deleted = rows.find(({ path, before, after }) => before && !after && foldPath(path) === name);
  return deleted && { renamed: { ...row, before: deleted.before }, deleted };
}

/** A row that restores only the scripts of a package.json. Other rows are returned unchanged. */
export async function toScriptRepair(snapshots: Snapshots, row: TreeChange): Promise<TreeChange> {
  const { path, before, after } = row;
  if (!isPackageFile(path) || placeOf(path) !== undefined || before?.type !== 'file' || after?.type !== 'file')
    return row;
  const [was, is] = [await readPackage(snapshots, before), await readPackage(snapshots, after)];
  if (!was || !is) return row;
  const { scripts } = was.value;
  const value = { ...is.value };
  if (scripts === undefined) delete value['scripts'];
  else value['scripts'] = scripts;
  const text = new TextDecoder().decode(is.content);
  const indent = /^[{]\s*\n([ \t]+)/.exec(text)?.[1] ?? 0;
  const end = text.endsWith('\n') ? '\n' : '';
  const content = new TextEncoder().encode(`${JSON.stringify(value, undefined, indent)}${end}`);
  const entry = await snapshots.put(content, { type: 'file', mode: after.mode });
  return { ...row, before: entry };
}

async function readPackage(
  snapshots: Snapshots,
  entry: TreeEntry,
): Promise<{ content: Uint8Array; value: Record<string, unknown> } | undefined> {
  const content = await read(snapshots, entry);
  if (!content) return undefined;
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(content));
    if (!isRecord(value)) return undefined;
    return { content, value: { ...value } };
  } catch {
    return undefined;
  }
}

async function read(snapshots: Snapshots, entry: TreeEntry): Promise<Uint8Array | undefined> {
  return entry.size > MAX_BYTES || !snapshots.isStored(entry) ? undefined : await snapshots.content(entry);
}
