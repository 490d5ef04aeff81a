import { existsSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join, relative, sep } from 'node:path';
import { listFolders } from '@klaus/adapters/system';
import { contains, toRealPath } from '../paths.ts';
import { words } from '../words.ts';
import { findLinks, isInGitFolder, listCredentials, scanCredentials, toShared } from './credential-scan.ts';
import { withoutNested, type Mask } from './masks.ts';

/** Lifetime of a search for hard links, which reads every folder. */
const LINKS_MS = 60_000;
/** A folder that every sandbox shows completely. */
const SYSTEM = '/usr';
const MODULES = `${sep}node_modules${sep}`;
/** Masks in one folder. Each mount delays the start of every command by about 0.2 ms. */
const MOST_OF_ONE = 200;
/** Folders with credentials, in addition to a home folder and those in it. They are read only to find hard links. */
const USER_FOLDERS = words(`
  .config/gh .config/pip .config/pnpm .config/composer .config/go .config/hub .config/glab-cli
  .config/gcloud .config/helm/registry .config/pypoetry .local/share/gem .local/share/uv/credentials
`);

export interface BindMaskOptions {
  /** Klaus's own state. */
  home: string;
  /** Absolute paths of folders and files that are mounted at the same path. */
  binds: readonly string[];
  /** Folders that are mounted separately, with masks of their own. */
  except: readonly string[];
  /** Secret files that are known already. */
  known: readonly string[];
  userHomes: readonly string[];
  /** True: entries named `.git` are hidden too. */
  hidesGit: boolean;
}

/**
 * The masks for mounted folders: files whose names indicate credentials, the targets of symlinks with such names, and
 * hard links of such files, including credentials of the user outside these folders. A folder with more than 200 of
 * them is hidden completely.
 */
export async function findBindMasks(options: BindMaskOptions): Promise<Mask[]> {
  const { except, hidesGit } = options;
  const binds = options.binds.filter((bind) => hidesGit || !isInGitFolder(bind));
  const found = (await Promise.all(binds.map((bind) => scanCredentials(bind, options.home)))).flat();
  const hits = found.filter((path) => hidesGit || basename(path) !== '.git');
  const shared = toShared([...hits, ...options.known, ...listElsewhere(binds, options.userHomes)]);
  const links = shared.size > 0 ? await findKnownLinks(binds, shared) : [];
  const reals = binds.flatMap((path) => {
    const real = toRealPath(path);
    return real === undefined ? [] : [{ path, real }];
  });
  const masks = new Map<string, Mask>();
  for (const hit of [...hits, ...links]) {
    const file = toRealPath(hit);
    if (file === undefined || except.some((folder) => contains(folder, file))) continue;
    const isFolder = statSync(file).isDirectory();
    // The name of a symlink to a folder says nothing about the folder.
    if (isFolder && basename(hit) !== '.git') continue;
    for (const { path, real } of reals) {
      const target = join(path, relative(real, file));
      if (contains(real, file) && !except.some((folder) => contains(folder, target)))
        masks.set(target, { target, isFolder });
    }
  }
  return limit([...masks.values()], binds);
}

/**
 * The repositories of writable mounted folders. They are mounted read-only, so that a command cannot add programs that
 * the user's next `git status` would run.
 */
export function findBoundGit(binds: readonly { path: string; writable: boolean }[]): string[] {
  return binds.flatMap(({ path, writable }) => {
    const git = join(path, '.git');
    if (!writable || isInGitFolder(path) || !existsSync(git)) return [];
    const real = realpathSync.native(git);
    return contains(realpathSync.native(path), real) ? [join(path, relative(realpathSync.native(path), real))] : [];
  });
}

type Searches<T> = Map<string, { at: number; found: T }>;

const searches: Searches<Promise<string[]>> = new Map();
const elsewhere: Searches<string[]> = new Map();

/** The result of a search, or of the same search a short time ago. */
function findRecent<T>(known: Searches<T>, key: string, search: () => T): T {
  const before = known.get(key);
  if (before && performance.now() - before.at < LINKS_MS) return before.found;
  const found = search();
  known.set(key, { at: performance.now(), found });
  return found;
}

function findKnownLinks(binds: readonly string[], inodes: ReadonlySet<string>): Promise<string[]> {
  return findRecent(searches, JSON.stringify([binds, [...inodes].sort()]), () => findLinks(binds, inodes));
}

/** Merges masks. Files in a hidden folder need no mask. */
export function mergeMasks(first: readonly Mask[], second: readonly Mask[]): Mask[] {
  const all = new Map([...first, ...second].map((mask) => [mask.target, mask]));
  return withoutNested([...all.values()]);
}

function limit(masks: readonly Mask[], binds: readonly string[]): Mask[] {
  const groups = Map.groupBy(masks, ({ target }) => binds.find((bind) => contains(bind, target)) ?? '');
  return [...groups].flatMap(([bind, members]) =>
    members.length > MOST_OF_ONE && bind !== '' ? [{ target: bind, isFolder: true }] : withoutNested(members),
  );
}

/** The home folders of the user, from the environment and from the system. */
export function toUserHomes(env: Readonly<Record<string, string | undefined>> = process.env): string[] {
  return [...new Set([homedir(), env['HOME'] ?? homedir()])];
}

/**
 * Credentials next to the mounted folders and in the home folders. Commands can see them only through hard links. They
 * see the folders of the system in any case, and those of packages contain no credentials of the user.
 */
function listElsewhere(binds: readonly string[], userHomes: readonly string[]): string[] {
  return findRecent(elsewhere, JSON.stringify([binds, userHomes]), () => {
    const above = new Set(binds.map(toFolderAbove).filter((folder) => folder !== SYSTEM));
    const folders = new Set(
      [...above].flatMap((each) => [dirname(each), each, ...listFolders(each).map((name) => join(each, name))]),
    );
    return [...[...folders].flatMap(listCredentials), ...listUserFiles(userHomes)];
  });
}

/** The folder around a bind, or around the packages in which it is. */
function toFolderAbove(bind: string): string {
  const at = bind.indexOf(MODULES);
  return at > 0 ? bind.slice(0, at) : dirname(bind);
}

function listUserFiles(userHomes: readonly string[]): string[] {
  return userHomes.flatMap((home) =>
    ['', ...listFolders(home), ...USER_FOLDERS].flatMap((folder) => listCredentials(join(home, folder))),
  );
}
