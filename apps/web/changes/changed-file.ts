import type { Hunk, TreeChange } from '@klaus/core/protocol';

/** A changed file of a session. */
export interface ChangedFile {
  path: string;
  kind: TreeChange['kind'];
  /** Lines. */
  added: number;
  removed: number;
  /** Identifies the content after the change, for the mark that it was viewed. */
  version: string;
}

/** The changed files without folders, in order of their paths. */
export function toChangedFiles(changes: readonly TreeChange[], hunks: readonly Hunk[]): ChangedFile[] {
  const byPath = Map.groupBy(hunks, ({ path }) => path);
  return changes
    .filter(({ before, after }) => (after ?? before)?.type !== 'directory')
    .map(({ path, kind, before, after }) => {
      const lines = (byPath.get(path) ?? []).flatMap((hunk) => hunk.lines);
      const count = (sign: string) => lines.filter((line) => line.startsWith(sign)).length;
      const version = after ? `${after.hash} ${after.mode}` : `deleted ${before?.hash ?? ''}`;
      return { path, kind, added: count('+'), removed: count('-'), version };
    })
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/** A folder of the tree of changed files. */
export interface ChangedFolder {
  /** Of the folder; of a chain of folders with one entry each, all names. */
  name: string;
  path: string;
  folders: readonly ChangedFolder[];
  files: readonly ChangedFile[];
}

/** The folders of changed files. Folders with a single folder in them are joined. */
export function toTree(files: readonly ChangedFile[]): ChangedFolder {
  return toFolder('', '', files);
}

function toFolder(path: string, name: string, all: readonly ChangedFile[]): ChangedFolder {
  const rest = (file: ChangedFile) => file.path.slice(path.length);
  const files = all.filter((file) => !rest(file).includes('/', 1));
  const byFolder = Map.groupBy(
    all.filter((file) => rest(file).includes('/', 1)),
    (file) => rest(file).slice(0, rest(file).indexOf('/', 1) + 1),
  );
  const folders = [...byFolder].map(([part, own]) => join(toFolder(path + part, part.slice(0, -1), own)));
  return { name, path, folders, files };
}

function join(folder: ChangedFolder): ChangedFolder {
  const [only] = folder.folders;
  if (folder.files.length > 0 || folder.folders.length !== 1 || !only) return folder;
  return { ...only, name: `${folder.name}/${only.name}` };
}
