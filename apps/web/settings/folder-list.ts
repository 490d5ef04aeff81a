/** A folder that commands see in addition to the workspace. */
export interface SharedFolder {
  path: string;
  /** `ro`: read. `rw`: read and change. */
  right: 'ro' | 'rw';
}

/** Parses an entry of `sandbox.folders`, such as `/data:rw`. Without a right it is `ro`. */
export function parseFolder(entry: string): SharedFolder {
  const [, path = entry, right] = /^(.*):(ro|rw)$/.exec(entry) ?? [];
  return { path, right: right === 'rw' ? 'rw' : 'ro' };
}

/** The entries of `sandbox.folders`. Folders without a path are left out. */
export function toFolderEntries(folders: readonly SharedFolder[]): string[] {
  return folders.flatMap(({ path, right }) => (path.trim() === '' ? [] : [`${path.trim()}:${right}`]));
}
