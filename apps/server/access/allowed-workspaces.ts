import { headOf } from '@klaus/sdk/cut-text';
import { homedir } from 'node:os';
import { relative, resolve, sep } from 'node:path';
import { KlausError } from '@klaus/sdk';
import { ancestors, createFolderSet, holds, isSame, toReal } from './real-folder.ts';

/** System folders. Neither they nor folders in them are workspaces, unless the home folder is in them too. */
const SYSTEM = [
  ...['/bin', '/boot', '/dev', '/etc', '/lib', '/lib32', '/lib64', '/libx32', '/proc', '/root', '/run', '/sbin'],
  ...[
    '/sys',
    '/usr/bin',
    '/usr/etc',
    '/usr/include',
    '/usr/lib',
    '/usr/lib32',
    '/usr/lib64',
    '/usr/libexec',
    '/usr/sbin',
  ],
  ...['/usr/share', '/usr/local/bin', '/usr/local/etc', '/usr/local/lib', '/usr/local/sbin', '/usr/local/share'],
  ...['/var/backups', '/var/cache', '/var/db', '/var/lib', '/var/log', '/var/mail', '/var/spool'],
  ...['/Applications', '/Library', '/System', '/private/etc', '/private/var/db', '/private/var/log'],
];

/** Shared folders. A folder in them may be a workspace, they themselves may not. */
const SHARED = [
  ...['/', '/home', '/media', '/mnt', '/opt', '/private', '/private/tmp', '/private/var', '/srv', '/tmp'],
  ...['/usr', '/usr/local', '/usr/src', '/Users', '/var', '/var/tmp', '/Volumes'],
];

export interface AllowedWorkspacesOptions {
  /** `server.workspaces`: absolute folders. Empty: the configured workspace and those of known sessions. */
  listed: readonly string[];
  /** Absolute path of the default workspace. */
  configured: string;
  /** Absolute real paths of the workspaces of known sessions. */
  known: () => Iterable<string>;
  klausHome: string;
  /** The repository of the working copy that contains a folder. A copy may be used like its repository. */
  repositoryOf?: (path: string) => string | undefined;
  /** Default: the user's home folder. */
  home?: string;
}

export type AllowedWorkspaces = ReturnType<typeof createAllowedWorkspaces>;

/** The folders in which clients of the server may open sessions. */
export function createAllowedWorkspaces(options: AllowedWorkspacesOptions) {
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
  /** The terminal allows a session in any folder. A forbidden folder of such a session allows no others here. */
  const isBelow = (path: string, root: string): boolean =>
    path === root || (holds(root, path) && !isHidden(relative(root, path)) && !isForbidden(root));
  const isInside = (path: string): boolean => {
    if (isBelow(path, configured)) return true;
    if (listed.length === 0) return [...new Set(options.known())].some((root) => isBelow(path, root));
    const roots = listed.map((folder) => toReal(folder).path);
    return roots.some((root) => isSame(path, root) || (holds(root, path) && !isHidden(relative(root, path))));
  };
  const check = (given: string, { shown, isLocal = false }: { shown: string; isLocal?: boolean }): void => {
    const path = options.repositoryOf?.(given) ?? given;
    if (isForbidden(path)) {
      throw new KlausError('workspace.refused', `The server begins no session in ${shown}.`, {
        hint: 'It is a system folder, the home folder, Git data or the state of Klaus, which `server.workspaces` cannot allow. Use a project folder.',
      });
    }
    if (isLocal || isInside(path)) return;
    throw new KlausError('workspace.outside', `The server may not work in ${shown}.`, {
      hint: 'Add the folder to the setting `server.workspaces` (KLAUS_SERVER_WORKSPACES) of the server. By default the server works in its own folder and in those of known sessions.',
    });
  };
  return {
    /** Absolute real path of the default workspace. */
    configured,
    /**
     * Checks a folder that the user of the server wants to allow, as an entry of `server.workspaces` is checked. Hidden
     * folders need that setting.
     *
     * @returns As `checkNew`.
     * @throws KlausError `workspace.refused`.
     */
    checkAllowable(workspace: string): { path: string; exists: boolean } {
      const found = toReal(workspace);
      const shown = headOf(workspace, 200);
      check(found.path, { shown, isLocal: true });
      if (!isHidden(found.path)) return found;
      throw new KlausError('workspace.refused', `${shown} is a hidden folder, or in one.`, {
        hint: 'Add it to the setting `server.workspaces` (KLAUS_SERVER_WORKSPACES), or use another folder.',
      });
    },
    /**
     * @param workspace A relative path is resolved against the configured workspace.
     * @param from.isLocal True for a request over the Unix socket: its user can open a session in any folder without a
     *   server too. Default false.
     * @returns The real path of the folder.
     * @throws KlausError `workspace.refused` for a folder that is never a workspace, `workspace.outside` for one that is
     *   not in `server.workspaces`, `workspace.missing` for one that does not exist.
     */
    check(workspace: string, { isLocal = false }: { isLocal?: boolean } = {}): string {
      const { path, exists } = toReal(resolve(options.configured, workspace));
      const shown = headOf(workspace, 200);
      check(path, { shown, isLocal });
      if (exists) return path;
      throw new KlausError('workspace.missing', `The workspace ${shown} is not a folder on the server.`, {
        hint: 'Use a folder that exists on the machine of the server.',
      });
    },
    /**
     * The same for a folder that may not exist yet.
     *
     * @returns Its real path: that of its nearest existing parent with the rest appended.
     * @throws KlausError `workspace.refused`, `workspace.outside`.
     */
    checkNew(workspace: string, from: { isLocal?: boolean } = {}): { path: string; exists: boolean } {
      const found = toReal(resolve(options.configured, workspace));
      check(found.path, { shown: headOf(workspace, 200), ...from });
      return found;
    },
    /** The same for the workspace of a known session, which may no longer exist. */
    checkKnown: (workspace: string): void => check(toReal(workspace).path, { shown: headOf(workspace, 200) }),
    /** False if the workspace of a known session would be refused. */
    allowsKnown(workspace: string): boolean {
      const { path } = toReal(workspace);
      return !isForbidden(path) && (listed.length === 0 || isInside(path));
    },
  };
}

/** Folders such as `.ssh` or `.vscode` are allowed only if `server.workspaces` lists them. */
function isHidden(path: string): boolean {
  return path.split(sep).some((name) => name.startsWith('.') && name !== '.');
}
