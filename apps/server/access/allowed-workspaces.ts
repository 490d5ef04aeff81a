import { realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { KlausError } from '@klaus/sdk';

/** Folders of the system. Neither they nor what is inside is a workspace, unless the home folder is inside too. */
const SYSTEM = [
  ...[
    '/bin',
    '/boot',
    '/dev',
    '/etc',
    '/lib',
    '/lib32',
    '/lib64',
    '/libx32',
    '/proc',
    '/root',
    '/run',
    '/sbin',
    '/sys',
  ],
  ...['/usr/bin', '/usr/etc', '/usr/include', '/usr/lib', '/usr/lib32', '/usr/lib64', '/usr/libexec', '/usr/sbin'],
  ...['/usr/share', '/usr/local/bin', '/usr/local/etc', '/usr/local/lib', '/usr/local/sbin', '/usr/local/share'],
  ...['/var/backups', '/var/cache', '/var/db', '/var/lib', '/var/log', '/var/mail', '/var/spool'],
  ...['/Applications', '/Library', '/System', '/private/etc', '/private/var/db', '/private/var/log'],
];

/** Folders that hold what belongs to several: what is inside may be a workspace, they themselves are none. */
const SHARED = [
  ...['/', '/home', '/media', '/mnt', '/opt', '/private', '/private/tmp', '/private/var', '/srv', '/tmp'],
  ...['/usr', '/usr/local', '/usr/src', '/Users', '/var', '/var/tmp', '/Volumes'],
];

export interface PlacesOptions {
  /** `server.workspaces`: absolute folders. Empty: the configured workspace and those of known sessions. */
  listed: readonly string[];
  /** Absolute path of the workspace that is worked in where none is named. */
  configured: string;
  /** Absolute real paths of the workspaces of known sessions. */
  known: () => Iterable<string>;
  /** Klaus's own state. */
  klausHome: string;
  /** Default: the user's. */
  home?: string;
}

/** Says in which folders the clients of the server may begin sessions. */
export interface Places {
  /**
   * @param workspace Relative: below the configured one.
   * @returns The real path of the folder.
   * @throws KlausError `workspace.refused` for a folder that nothing may work in, `workspace.outside` for one that
   *   `server.workspaces` does not hold, `workspace.missing` for one inside that does not exist.
   */
  check(workspace: string): string;
  /** The same for the workspace of a known session, which may be gone by now. */
  checkKnown(workspace: string): void;
  /** False for the workspace of a known session that would be refused. */
  allowsKnown(workspace: string): boolean;
}

export function createPlaces(options: PlacesOptions): Places {
  const { listed } = options;
  const configured = toReal(options.configured).path;
  const home = toReal(options.home ?? homedir()).path;
  const klausHome = toReal(options.klausHome).path;
  const [isSystem, isShared] = [createFolderSet(SYSTEM), createFolderSet(SHARED)];
  const isForbidden = (path: string): boolean =>
    isShared(path) ||
    holds(path, home) ||
    holds(klausHome, path) ||
    (path !== configured && holds(path, klausHome)) ||
    path.split(sep).some((name) => name.toLowerCase() === '.git') ||
    ancestors(path).some((folder) => isSystem(folder) && !holds(folder, home));
  /** A session may have been let into any folder at the terminal: such a folder opens nothing here. */
  const isBelow = (path: string, root: string): boolean =>
    path === root || (holds(root, path) && !isHidden(relative(root, path)) && !isForbidden(root));
  const isInside = (path: string): boolean => {
    if (isBelow(path, configured)) return true;
    if (listed.length === 0) return [...new Set(options.known())].some((root) => isBelow(path, root));
    const roots = listed.map((folder) => toReal(folder).path);
    return roots.some((root) => isSame(path, root) || (holds(root, path) && !isHidden(relative(root, path))));
  };
  const judge = (path: string, shown: string): void => {
    if (isForbidden(path)) {
      throw new KlausError('workspace.refused', `The server begins no session in ${shown}.`, {
        hint: 'It is a folder of the system, the home folder, data of git or the state of Klaus. Name a project folder; server.workspaces cannot open this one.',
      });
    }
    if (isInside(path)) return;
    throw new KlausError('workspace.outside', `The server may not work in ${shown}.`, {
      hint: 'The setting server.workspaces (KLAUS_SERVER_WORKSPACES) of the server names the folders. By default these are the folder that the server works in and those of known sessions.',
    });
  };
  return {
    check(workspace) {
      const { path, isThere } = toReal(resolve(options.configured, workspace));
      const shown = workspace.slice(0, 200);
      judge(path, shown);
      if (isThere) return path;
      throw new KlausError('workspace.missing', `The workspace ${shown} is no folder at the server.`, {
        hint: 'Name a folder that exists on the machine of the server.',
      });
    },
    checkKnown: (workspace) => judge(toReal(workspace).path, workspace.slice(0, 200)),
    allowsKnown(workspace) {
      const { path } = toReal(workspace);
      return !isForbidden(path) && (listed.length === 0 || isInside(path));
    },
  };
}

/** The real path; of what does not exist, that of the nearest folder that does, with the rest. */
function toReal(path: string): { path: string; isThere: boolean } {
  const given = resolve(path.replaceAll('\0', '\uFFFD'));
  const rest: string[] = [];
  for (let at = given; ; at = dirname(at)) {
    try {
      const real = realpathSync.native(at);
      return { path: join(real, ...rest), isThere: rest.length === 0 && statSync(real).isDirectory() };
    } catch {
      if (at === dirname(at)) return { path: given, isThere: false };
      rest.unshift(basename(at));
    }
  }
}

/** True where the folder is `path` or holds it. */
function holds(folder: string, path: string): boolean {
  if (path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep)) return true;
  const wanted = identityOf(folder);
  return wanted !== undefined && ancestors(path).some((each) => identityOf(each) === wanted);
}

/** The path itself first. */
function ancestors(path: string): string[] {
  const parent = dirname(path);
  return parent === path ? [path] : [path, ...ancestors(parent)];
}

/** The same path, or the same folder by another name: a bind mount, another case. */
function isSame(a: string, b: string): boolean {
  if (a === b) return true;
  const [one, other] = [identityOf(a), identityOf(b)];
  return one !== undefined && one === other;
}

/** Says whether a path is one of these folders, by whatever name. */
function createFolderSet(folders: readonly string[]): (path: string) => boolean {
  const names = new Set(folders.flatMap((folder) => [folder, toReal(folder).path]));
  const identities = new Set(folders.map(identityOf).filter((identity) => identity !== undefined));
  return (path) => names.has(path) || identities.has(identityOf(path) ?? '');
}

function identityOf(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    return undefined;
  }
}

/** Folders such as `.ssh` or `.vscode`: to work in one, `server.workspaces` names it. */
function isHidden(path: string): boolean {
  return path.split(sep).some((name) => name.startsWith('.') && name !== '.');
}
