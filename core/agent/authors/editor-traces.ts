import type { TreeChange } from '../../protocol/index.ts';
import type { Snapshots } from '../ports/snapshots.ts';

/**
 * Names of the files by which editors mark a file as open, or keep its former content: of Vim, Nano, Emacs, Kate,
 * LibreOffice and Gedit.
 */
const TRACES: readonly ((name: string) => string)[] = [
  (name) => `.${name}.swp`,
  (name) => `.${name}.swo`,
  (name) => `.#${name}`,
  (name) => `#${name}#`,
  (name) => `${name}~`,
  (name) => `.${name}.kate-swp`,
  (name) => `.~lock.${name}#`,
];
/** Names of such files themselves, and of those that an editor renames over the file. */
const IS_TRACE =
  /^(?:\..+\.sw[a-p]|\.#.+|#.+#|.+~|\..+\.kate-swp|\.~lock\..+#|\.goutputstream-\w+|4913|.+___jb_(?:tmp|old)___)$/;

/**
 * True for a changed file that a person has open in an editor, or saved with one: its lock is beside it, or the content
 * that it had before is in a copy that the editor made. True for such files themselves.
 */
export async function hasEditorTrace(
  snapshots: Snapshots,
  { path, before }: TreeChange,
  after: string,
): Promise<boolean> {
  const at = path.lastIndexOf('/') + 1;
  const [folder, name] = [path.slice(0, at), path.slice(at)];
  if (IS_TRACE.test(name)) return true;
  for (const toTrace of TRACES) {
    const trace = toTrace(name);
    const entry = await snapshots.entry(after, folder + trace);
    // A copy that is older than the change shows nothing.
    if (entry && (!trace.endsWith('~') || entry.hash === before?.hash)) return true;
  }
  return false;
}
