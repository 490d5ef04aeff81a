import { existsSync, lstatSync, readlinkSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { contains } from '../paths.ts';
import { toSource, toTarget } from '../view.ts';
import type { WorkspaceView } from '../view.ts';
import { disarm } from './neutralize-repository.ts';
import { findGitPlaces, hold } from './git-paths.ts';
import type { Places } from './git-paths.ts';
import { BASE, closeObjectStore, isUntouched, openObjectStore, toStore, type ObjectStore } from './object-store.ts';
import { holdPlaces, isPlaceholder, removePlaces } from './placeholders.ts';
import type { Placeholder } from './placeholders.ts';
import { findRepositories, list } from './repositories.ts';
import type { Repository } from './repositories.ts';
import { toExternalGit } from './external-git.ts';
import type { Spare } from './reusable-stores.ts';

/** A path of this machine and where it stands in the sandbox. */
export interface PlaceMount {
  source: string;
  target: string;
}

export interface ProtectedWorkspaceOptions {
  view: WorkspaceView;
  /** Klaus's own state, which may lie in the workspace and is hidden there. */
  home: string;
  /** Further paths as the sandbox names them. */
  protect: readonly string[];
  /** Default true: take the teeth out of what a command planted. */
  disarms?: boolean;
  /** Default true: mount what is protected. */
  holds?: boolean;
  /**
   * Absolute paths of further repositories of the workspace, each of what is named `.git`: they are read-only as a
   * whole. Default none.
   */
  known?: readonly string[];
  /** Default false. True: the command may outlive this process. */
  survives?: boolean;
  /** Object stores that are open for a command which has not begun: taken over where they fit. Default none. */
  stores?: readonly ObjectStore[];
}

/** What has to be known at the end of a command, for a Klaus that did not start it. Plain JSON. */
export interface SavedProtection {
  view: WorkspaceView;
  home: string;
  disarms: boolean;
  before: readonly (readonly [path: string, identity: string])[];
  links: readonly (readonly [path: string, target: string])[];
  held: readonly Placeholder[];
  /** Unix milliseconds. */
  begun: number;
  isComplete: boolean;
  stores?: readonly ObjectStore[];
  /** The same of folders beside it. */
  beside?: readonly SavedProtection[];
}

/** Files get their times from a coarser clock than ours. */
const CLOCK_STEP_MS = 20;

/** Configuration of Klaus itself. */
const OWN = ['.klaus'];

/**
 * What a command must leave alone in a workspace, from before its start to after its end: git's configuration and
 * hooks, Klaus's own configuration, and what the caller adds. Places that do not exist are kept empty meanwhile.
 * Repositories that a command makes are looked at when it has ended.
 *
 * What stays possible: until the command has ended, a repository that it made itself is not disarmed. Repositories more
 * than six folders deep, in `node_modules` or beyond the first 600 folders are not found here: the look at the whole
 * workspace at the end of the turn disarms them. Programs of the project that the user's own configuration names can be
 * changed like any source file.
 */
export class ProtectedWorkspace {
  /** Mounted writable onto themselves, parents first, so that they stay where they are. */
  readonly pinned: readonly PlaceMount[];
  readonly readOnly: readonly PlaceMount[];
  /** A git folder outside of the workspace that belongs to it: bound writable, before the others. */
  readonly external: readonly PlaceMount[];
  /** What {@link close} needs. */
  readonly saved: SavedProtection;
  readonly #release: () => void;
  #isClosed = false;

  private constructor(options: ProtectedWorkspaceOptions) {
    const { view, home, disarms = true } = options;
    const begun = Date.now();
    const { repositories, isComplete } = findRepositories(view.source, home);
    const before = repositories.map(({ path, identity }) => [path, identity] as const);
    const places = findGitPlaces(repositories, view.source);
    const external = toExternalGit(view, repositories, places);
    for (const path of [...OWN.map((name) => join(view.target, name)), ...options.protect])
      if (contains(view.target, path)) hold(places, toReachable(toSource(view, path)));
    const found = new Set(repositories.map(({ path }) => path));
    for (const path of options.known ?? []) if (!found.has(path) && existsSync(path)) places.readOnly.push(path);
    if (options.holds === false) Object.assign(places, { pinned: [], readOnly: [], missing: [], gitFolders: [] });
    const links = [...findLinks(repositories, places)];
    const { held, release } = holdPlaces(places.missing);
    this.#release = release;
    // A layer is thrown away with whatever a command did to git's data in it.
    const isLayer = view.source !== view.target;
    const isWritable = (folder: string) => !places.readOnly.some((path) => contains(path, folder));
    const writable = isLayer ? [] : places.gitFolders.filter(isWritable);
    const stores = openStores(writable, { roots: [view.source, ...external], ...options });
    this.saved = { view, home, disarms, before, links, held, begun, isComplete, stores };
    const toMount = (source: string): PlaceMount => ({ source, target: toTarget(view, source) });
    const isHidden = (path: string) => contains(view.source, options.home) && contains(options.home, path);
    const isVisible = (path: string) =>
      !isHidden(path) && [view.source, ...external].some((folder) => contains(folder, path));
    const isMountable = (path: string) =>
      isVisible(path) && lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === false;
    const byLength = (a: string, b: string) => a.length - b.length;
    this.external = external.map(toMount);
    this.pinned = [
      ...[...new Set(places.pinned)].filter(isMountable).sort(byLength).map(toMount),
      ...stores.map(({ store, intake }) => ({ source: intake, target: toTarget(view, store) })),
    ];
    this.readOnly = [
      ...[...new Set([...places.readOnly, ...held.map((place) => place.path)])]
        .filter(isMountable)
        .sort(byLength)
        .map(toMount),
      ...stores.map(({ store }) => ({ source: store, target: join(toTarget(view, store), BASE) })),
    ];
  }

  static open(options: ProtectedWorkspaceOptions): ProtectedWorkspace {
    return new ProtectedWorkspace(options);
  }

  /** The object stores that are open. */
  get stores(): readonly ObjectStore[] {
    return this.saved.stores ?? [];
  }

  /** Places that are missing and are held meanwhile, on this machine. */
  get held(): readonly string[] {
    return this.saved.held.map(({ path }) => path);
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** To be called when nothing of the command is left; again does nothing. @returns What was put right, as sentences. */
  close(): string[] {
    if (this.#isClosed) return [];
    this.#isClosed = true;
    this.#release();
    return putRight(this.saved);
  }

  /**
   * To be called instead of {@link close} where another command is expected: what that would hold too stays, which is
   * faster than to make it again.
   *
   * @returns What was put right, and what stayed: the caller closes that.
   */
  closeForNext(): { warnings: string[]; spare: Spare } {
    const folders = [this.saved.view.target];
    if (this.#isClosed) return { warnings: [], spare: { folders, stores: [], release() {} } };
    this.#isClosed = true;
    const kept = this.stores.filter(isUntouched);
    const warnings = putRight({ ...this.saved, stores: this.stores.filter((store) => !kept.includes(store)) });
    return { warnings, spare: { folders, stores: kept, release: this.#release } };
  }

  /**
   * To be called instead of {@link close} where no command has begun: nothing can have been planted.
   *
   * @param taken Stores that another one has taken over.
   */
  discard(taken: readonly ObjectStore[] = []): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#release();
    for (const store of this.stores) if (!taken.some(({ intake }) => intake === store.intake)) closeObjectStore(store);
  }

  /** The same as {@link close}, for a command that an earlier Klaus started. */
  static closeSaved(saved: SavedProtection): string[] {
    removePlaces(saved.held);
    return [...putRight(saved), ...(saved.beside ?? []).flatMap((one) => ProtectedWorkspace.closeSaved(one))];
  }
}

/** The object stores of git folders that a command can reach. */
function openStores(
  folders: readonly string[],
  {
    roots,
    survives = false,
    stores = [],
  }: { roots: readonly string[] } & Pick<ProtectedWorkspaceOptions, 'survives' | 'stores'>,
): ObjectStore[] {
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

function putRight(saved: SavedProtection): string[] {
  const warnings = (saved.stores ?? []).flatMap(closeObjectStore);
  if (!saved.disarms) return warnings;
  warnings.push(...saved.links.flatMap(([path, target]) => restoreLink(path, target)));
  const before = new Map(saved.before);
  for (const repository of findRepositories(saved.view.source, saved.home).repositories) {
    if (before.get(repository.path) !== repository.identity && isNew(repository, saved))
      warnings.push(...disarmSafely(repository));
  }
  return warnings;
}

/** In a large workspace a repository of the user's may come into view only now; a new or moved one has a new ctime. */
function isNew({ path }: Repository, { isComplete, begun }: SavedProtection): boolean {
  return isComplete || (lstatSync(path, { throwIfNoEntry: false })?.ctimeMs ?? 0) >= begun - CLOCK_STEP_MS;
}

/** Nothing can be mounted below a folder that is not there: that folder itself is kept away then. */
function toReachable(path: string): { path: string } {
  let at = path;
  while (!existsSync(dirname(at)) || isPlaceholder(dirname(at))) at = dirname(at);
  return { path: at };
}

/** Symlinks among the protected: no mount holds them, so they are compared afterwards. */
function findLinks(repositories: readonly Repository[], places: Places): Map<string, string> {
  const paths = [
    ...repositories.filter(({ kind }) => kind === 'link').map(({ path }) => path),
    ...places.readOnly,
    ...repositories.flatMap(({ folder }) =>
      folder
        ? list(folder)
            .filter((entry) => entry.isSymbolicLink())
            .map((entry) => join(folder, entry.name))
        : [],
    ),
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
    return [`${path} is a symlink to ${target} again${found ? `; what stood there is ${aside}` : ''}`];
  } catch (error) {
    return [`${path} was a symlink to ${target} and could not be put back: ${String(error)}`];
  }
}

function disarmSafely(repository: Repository): string[] {
  try {
    return disarm(repository);
  } catch (error) {
    return [`${repository.path} was made by the command and could not be checked: ${String(error)}`];
  }
}
