import { existsSync, lstatSync, readlinkSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { contains } from '../paths.ts';
import { toSource, toTarget, type WorkspaceView } from '../view.ts';
import { neutralizeRepository } from './neutralize-repository.ts';
import { findGitPaths, protectPath, type GitPaths } from './git-paths.ts';
import { BASE, closeObjectStore, isEmptyIntake, openObjectStore, toStore, type ObjectStore } from './object-store.ts';
import { createPlaceholders, isPlaceholder, removePlaceholders, type Placeholder } from './placeholders.ts';
import { findMovedFolders, isKnownRepository, toMovedPath } from './moved-repositories.ts';
import { findRepositories, toIdentity, type Repository } from './repositories.ts';
import { toExternalGit } from './external-git.ts';
import type { ReusableStores } from './reusable-stores.ts';
import { listEntries } from '@klaus/adapters/system';

/** A path of this machine and its path in the sandbox. */
export interface BindMount {
  source: string;
  target: string;
}

export interface ProtectedWorkspaceOptions {
  view: WorkspaceView;
  /** Klaus's own state. If it lies in the workspace, it is hidden there. */
  home: string;
  /** Further protected places, as paths in the sandbox. */
  protect: readonly string[];
  /** Neutralizes repositories that a command created. Default true. */
  neutralizes?: boolean;
  /** Mounts protected places. Default true. */
  mounts?: boolean;
  /** Absolute paths of `.git` entries of further repositories, whose content is read-only. Default: none. */
  known?: readonly string[];
  /** True if the command may outlive this process. Default false. */
  survives?: boolean;
  /** Open object stores of a command that has not begun: reused where they match. Default: none. */
  stores?: readonly ObjectStore[];
}

/** The data that closing the protection needs, also in another Klaus process. Stored as JSON with these field names. */
export interface SavedProtection {
  view: WorkspaceView;
  home: string;
  /** True if new repositories are neutralized. */
  disarms: boolean;
  before: readonly (readonly [path: string, identity: string])[];
  links: readonly (readonly [path: string, target: string])[];
  /** The placeholders. */
  held: readonly Placeholder[];
  /** Unix milliseconds. */
  begun: number;
  isComplete: boolean;
  stores?: readonly ObjectStore[];
  /** True if what decides in a repository is mounted, so that it can be moved but not changed. */
  isMounted?: boolean;
  /** The same for writable folders outside the workspace. */
  beside?: readonly SavedProtection[];
}

/** Resolution of file times, in milliseconds. */
const CLOCK_STEP_MS = 20;

/**
 * Protects places in a workspace from a command: git's configuration and hooks, Klaus's own configuration, and the
 * paths that the caller adds. Places that do not exist are replaced by empty placeholders while the command runs.
 * Repositories that a command creates are neutralized when it has ended.
 *
 * Limits: a repository that a command creates is not neutralized before the command ends. Repositories more than six
 * folders deep, in `node_modules`, or beyond the first 600 folders are not found here: the check of the complete
 * workspace at the end of the turn neutralizes them. Programs of the project that the user's own configuration names
 * can be changed like any source file.
 */
export class ProtectedWorkspace {
  /** Writable mounts of paths onto themselves, parents first: a mount point can be neither moved nor replaced. */
  readonly pinned: readonly BindMount[];
  readonly readOnly: readonly BindMount[];
  /** Git folders of the workspace that lie outside it: mounted writable, before the others. */
  readonly external: readonly BindMount[];
  readonly saved: SavedProtection;
  readonly #release: () => void;
  #isClosed = false;

  constructor(options: ProtectedWorkspaceOptions) {
    const { view, home, neutralizes = true } = options;
    const begun = Date.now();
    const { repositories, isComplete } = findRepositories(view.source, home);
    const listed = new Set(repositories.map(({ path }) => path));
    const further = (options.known ?? []).filter((path) => !listed.has(path) && contains(view.source, path));
    const before = [
      ...repositories.map(({ path, identity }) => [path, identity] as const),
      ...further.map((path) => [path, toIdentity(path)] as const),
    ];
    const paths = findGitPaths(repositories, view.source);
    const external = toExternalGit(view, repositories, paths);
    // `.klaus` is Klaus's configuration in a workspace.
    for (const path of [join(view.target, '.klaus'), ...options.protect])
      if (contains(view.target, path)) protectPath(paths, toMountable(toSource(view, path)));
    for (const path of options.known ?? []) if (!listed.has(path) && existsSync(path)) paths.readOnly.push(path);
    if (options.mounts === false) Object.assign(paths, { pinned: [], readOnly: [], missing: [], gitFolders: [] });
    const links = [...findLinks(repositories, paths)];
    const { placeholders, release } = createPlaceholders(paths.missing);
    this.#release = release;
    // A layer is discarded together with all changes of git's data in it.
    const isLayer = view.source !== view.target;
    const isWritable = (folder: string) => !paths.readOnly.some((path) => contains(path, folder));
    const writable = isLayer ? [] : paths.gitFolders.filter(isWritable);
    const stores = openStores(writable, { roots: [view.source, ...external], ...options });
    const isMounted = options.mounts !== false;
    const held = placeholders;
    this.saved = { view, home, disarms: neutralizes, before, links, held, begun, isComplete, stores, isMounted };
    const toMount = (source: string): BindMount => ({ source, target: toTarget(view, source) });
    const isHidden = (path: string) => contains(view.source, options.home) && contains(options.home, path);
    const isVisible = (path: string) =>
      !isHidden(path) && [view.source, ...external].some((folder) => contains(folder, path));
    const isMountable = (path: string) =>
      isVisible(path) && lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === false;
    const toMounts = (sources: readonly string[]): BindMount[] => {
      const shown = [...new Set(sources)].filter(isMountable);
      return shown.sort((a, b) => a.length - b.length).map(toMount);
    };
    this.external = external.map(toMount);
    this.pinned = [
      ...toMounts(paths.pinned),
      ...stores.map(({ store, intake }) => ({ source: intake, target: toTarget(view, store) })),
    ];
    this.readOnly = [
      ...toMounts([...paths.readOnly, ...this.placeholders]),
      ...stores.map(({ store }) => ({ source: store, target: join(toTarget(view, store), BASE) })),
    ];
  }

  get stores(): readonly ObjectStore[] {
    return this.saved.stores ?? [];
  }

  /** Paths of the placeholders on this machine. */
  get placeholders(): readonly string[] {
    return this.saved.held.map(({ path }) => path);
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Call when all processes of the command have ended. Idempotent. @returns The repairs that were made, as sentences. */
  close(): string[] {
    if (this.#isClosed) return [];
    this.#isClosed = true;
    this.#release();
    return repair(this.saved);
  }

  /**
   * Call instead of {@link close} if another command is expected. Placeholders and unused object stores stay open, which
   * is faster than to create them again.
   *
   * @returns The repairs that were made, and the open stores, which the caller closes.
   */
  closeForReuse(): { warnings: string[]; reusable: ReusableStores } {
    const folders = [this.saved.view.target];
    if (this.#isClosed) return { warnings: [], reusable: { folders, stores: [], release() {} } };
    if (findMoved(this.saved).size > 0)
      return { warnings: this.close(), reusable: { folders, stores: [], release() {} } };
    this.#isClosed = true;
    const kept = this.stores.filter(isEmptyIntake);
    const warnings = repair({ ...this.saved, stores: this.stores.filter((store) => !kept.includes(store)) });
    return { warnings, reusable: { folders, stores: kept, release: this.#release } };
  }

  /** Call instead of {@link close} if no command has begun. Another command has taken over the stores in `taken`. */
  discard(taken: readonly ObjectStore[] = []): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#release();
    const moved = findMoved(this.saved);
    followPlaceholders(this.saved, moved);
    for (const store of this.stores)
      if (!taken.some(({ intake }) => intake === store.intake)) closeObjectStore(toMovedStore(moved, store));
  }

  /** Does the same as {@link close}, for a command that another Klaus process started. */
  static closeSaved(saved: SavedProtection): string[] {
    removePlaceholders(saved.held);
    return [...repair(saved), ...(saved.beside ?? []).flatMap((one) => ProtectedWorkspace.closeSaved(one))];
  }
}

function openStores(
  folders: readonly string[],
  options: { roots: readonly string[] } & Pick<ProtectedWorkspaceOptions, 'survives' | 'stores'>,
): ObjectStore[] {
  const { roots, survives = false, stores = [] } = options;
  return [...new Set(folders)].flatMap((folder) => {
    const open = survives ? undefined : findOpen(stores, folder);
    const store = open ?? openObjectStore(folder, { survives });
    if (!store) return [];
    if (roots.some((root) => contains(root, store.store))) return [store];
    closeObjectStore(store);
    return [];
  });
}

function findOpen(stores: readonly ObjectStore[], folder: string): ObjectStore | undefined {
  const open = stores.length === 0 ? undefined : toStore(folder);
  return stores.find(({ store, intake }) => store === open && existsSync(intake));
}

function repair(saved: SavedProtection): string[] {
  const moved = findMoved(saved);
  followPlaceholders(saved, moved);
  const warnings = (saved.stores ?? []).flatMap((store) => closeObjectStore(toMovedStore(moved, store)));
  if (!saved.disarms) return warnings;
  const links = saved.links.filter(([path]) => toMovedPath(moved, path) === path);
  warnings.push(...links.flatMap(([path, target]) => restoreLink(path, target)));
  const before = new Map(saved.before);
  const isKnown = (repository: Repository): boolean =>
    saved.isMounted === true
      ? isKnownRepository(repository, { before: saved.before, moved })
      : before.get(repository.path) === repository.identity;
  for (const repository of findRepositories(saved.view.source, saved.home).repositories)
    if (!isKnown(repository) && isNew(repository, saved)) warnings.push(...tryNeutralize(repository));
  return warnings;
}

/** The git folders that the command moved. */
function findMoved({ before, view, home }: SavedProtection): Map<string, string> {
  return findMovedFolders(before, { root: view.source, hidden: home });
}

function toMovedStore(moved: ReadonlyMap<string, string>, { store, intake, alternates }: ObjectStore): ObjectStore {
  return { store: toMovedPath(moved, store), intake: toMovedPath(moved, intake), alternates };
}

/** Removes the placeholders that were moved together with their git folder, unless another command uses them. */
function followPlaceholders({ held }: SavedProtection, moved: ReadonlyMap<string, string>): void {
  if (moved.size === 0) return;
  const gone = held.filter(({ path }) => toMovedPath(moved, path) !== path && !isPlaceholder(path));
  removePlaceholders(gone.map((placeholder) => ({ ...placeholder, path: toMovedPath(moved, placeholder.path) })));
}

/** In a large workspace the search may find a repository of the user only now; a new or moved one has a new ctime. */
function isNew({ path }: Repository, { isComplete, begun }: SavedProtection): boolean {
  return isComplete || (lstatSync(path, { throwIfNoEntry: false })?.ctimeMs ?? 0) >= begun - CLOCK_STEP_MS;
}

/** Nothing can be mounted in a missing folder: the outermost missing folder is protected instead. */
function toMountable(path: string): { path: string } {
  let at = path;
  while (!existsSync(dirname(at)) || isPlaceholder(dirname(at))) at = dirname(at);
  return { path: at };
}

/** Symlinks among the protected places. They cannot be mount points, so they are compared after the command. */
function findLinks(repositories: readonly Repository[], git: GitPaths): Map<string, string> {
  const listLinks = (folder: string): string[] =>
    listEntries(folder).flatMap((entry) => (entry.isSymbolicLink() ? [join(folder, entry.name)] : []));
  const paths = [
    ...repositories.filter(({ kind }) => kind === 'link').map(({ path }) => path),
    ...git.readOnly,
    ...repositories.flatMap(({ folder }) => (folder ? listLinks(folder) : [])),
  ];
  return new Map(
    paths.flatMap((path) => {
      const found = lstatSync(path, { throwIfNoEntry: false });
      return found?.isSymbolicLink() ? [[path, readlinkSync(path)] as const] : [];
    }),
  );
}

function restoreLink(path: string, target: string): string[] {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isSymbolicLink() && readlinkSync(path) === target) return [];
  try {
    const aside = `${path}.klaus`;
    if (found) {
      rmSync(aside, { recursive: true, force: true });
      renameSync(path, aside);
    }
    symlinkSync(target, path);
    return [`${path} was restored as a symlink to ${target}${found ? `; its replacement is now ${aside}` : ''}`];
  } catch (error) {
    return [`${path} was a symlink to ${target} and could not be restored: ${String(error)}`];
  }
}

function tryNeutralize(repository: Repository): string[] {
  try {
    return neutralizeRepository(repository);
  } catch (error) {
    return [`${repository.path} was created by the command and could not be checked: ${String(error)}`];
  }
}
