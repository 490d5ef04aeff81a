import type { FileName } from '../../byte-names.ts';
import type { Batch } from '../objects/batch.ts';
import type { ArrivedFiles } from './arrived-files.ts';
import type { CachedDirectory } from './stat-cache.ts';
import type { ToolFolders } from './tool-folders.ts';
import { findMarker, hasMarkerName, isGeneric, isSameMarker } from './tool-marker.ts';
import type { TrackedFiles } from './tracked.ts';

/** `sources`: the content of folders that a tool marks as its own is not stored. */
export type Cover = 'sources' | 'all';

/**
 * What is stored of the new and changed files in a folder.
 *
 * - `stored`: their content
 * - `checked`: also the content of unchanged files, if it is missing
 * - `named`: the same, also in folders of tools below it
 * - `moved`: the same, and those below it stay covered
 * - `listed`: only hash and size, except of files by which Klaus judges
 */
export type Coverage = 'stored' | 'checked' | 'named' | 'moved' | 'listed';

/** The folders of tools in a scan of the workspace. */
export interface ToolScan {
  folders: ToolFolders;
  cover: Cover;
  tracked: TrackedFiles;
  arrived: ArrivedFiles;
}

export interface Decided {
  coverage: Coverage;
  /** Call it after the folder was scanned. It returns a coverage with which the folder has to be scanned again. */
  finish?: () => Coverage | undefined;
}

interface CoveredScan {
  tools?: ToolScan;
  isGit?: boolean;
  batch: Pick<Batch, 'tool'>;
}

interface CoveredDirectory {
  relative: string;
  absolute: FileName;
  /** Of the folder above. */
  coverage: Coverage;
  names: readonly string[];
  cached: CachedDirectory | undefined;
}

/** Decides about one folder. Costs nothing but a look at the names, unless one of them is that of a marker. */
export function decideCoverage(scan: CoveredScan, dir: CoveredDirectory): Decided {
  const { relative, absolute, coverage, names } = dir;
  const { tools } = scan;
  const inherited: Decided = { coverage };
  // A path that is no text is of no known tool.
  if (!tools || scan.isGit || relative === '' || coverage === 'named' || typeof absolute !== 'string') return inherited;
  // A repository in the folder of a tool belongs to someone else.
  if (coverage === 'listed') return names.includes('.git') ? { coverage: 'named' } : inherited;
  const put = (isActive: boolean, isComplete: boolean): undefined => {
    scan.batch.tool(relative, { state: { isActive, isComplete } });
  };
  const isMarked = hasMarkerName(names);
  if (coverage === 'moved') return isMarked ? { coverage, finish: () => put(false, true) } : inherited;
  const known = tools.folders.all.get(relative);
  if (!known && !isMarked) {
    // The cache will only know that it is empty.
    if (isEmptied(dir)) scan.batch.tool(relative, { state: undefined });
    return inherited;
  }
  if (known && (!known.isActive || names.length === 0)) return inherited;
  const isFree = isMarked && !names.includes('.git') && !tools.tracked.mayBeIn(absolute);
  const marker = isFree ? findMarker(absolute, names) : undefined;
  const isActive = marker !== undefined;
  if (known && (!isActive || tools.cover === 'all')) {
    if (known.isComplete && isActive) return inherited;
    return { coverage: 'checked', finish: () => put(isActive, true) };
  }
  if (known) {
    if (known.isComplete) put(true, false);
    return { coverage: 'listed' };
  }
  if (tools.folders.isOwn(relative)) return inherited;
  if (!isActive || isKnown({ ...dir, absolute }, marker)) {
    scan.batch.tool(relative, { state: undefined });
    return inherited;
  }
  // It is stored before the cache of the files in the folder.
  const isComplete = tools.cover === 'all';
  put(true, isComplete);
  if (isComplete) return inherited;
  tools.arrived.begin();
  return { coverage: 'listed', finish: () => (isGeneric(marker) && tools.arrived.areKnown ? 'moved' : undefined) };
}

/** True for a folder that had content before, and has none now. */
function isEmptied({ names, cached }: CoveredDirectory): boolean {
  return cached !== undefined && cached.count > 0 && !names.some((name) => name !== '.git');
}

/** True for a folder that had content before, and not this marker. */
function isKnown({ absolute, cached }: CoveredDirectory & { absolute: string }, marker: string): boolean {
  if (!cached || cached.count === 0) return false;
  const former = cached.nodes().find(({ name, type }) => name === marker && type === 'file');
  return !former || !isSameMarker(absolute, marker, former.hash);
}
