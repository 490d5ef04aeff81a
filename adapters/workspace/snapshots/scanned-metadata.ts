import { readGitStates, toGitPaths } from './git/git-state.ts';
import type { Scan } from './scan/scan.ts';
import type { SnapshotStore } from './snapshot-store.ts';
import type { StateMetadata } from './states.ts';

/** The metadata of a scan: of the scanned paths what was found, and of others what was known. */
export async function readScanned(
  scan: Scan,
  from: { root: SnapshotStore['root']; known: StateMetadata; paths: readonly string[] },
): Promise<StateMetadata> {
  const paths = new Set([...toGitPaths(from.known.git), ...scan.repositories]);
  const git = await readGitStates(from.root, [...paths]);
  const isLooked = (path: string) => from.paths.some((it) => path === it || path.startsWith(`${it}/`));
  const uncovered = [...from.known.uncovered.filter((one) => !isLooked(one.path)), ...scan.uncovered];
  return { git, uncovered };
}
