import { existsSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, delimiter, dirname, isAbsolute, join } from 'node:path';

/** Folders in which only the administrator installs programs. */
const SYSTEM_FOLDERS = ['/usr', '/bin', '/sbin', '/opt', '/nix', '/snap', '/run', '/home/linuxbrew'];
/** The default of execvp(3) without a PATH. */
const DEFAULT_PATH = '/usr/bin:/bin';
/** An empty PATH would mean the current folder. */
const NO_FOLDER = '/nonexistent';

/** Real paths of folders that sandboxed commands of this process may write. */
const writable = new Set<string>();
let last: { key: string; path: string } | undefined;

/** Excludes a folder from now on, because sandboxed commands may write it. */
export function distrustFolder(folder: string): void {
  writable.add(toReal(folder) ?? folder);
}

/**
 * True for a file in a folder that sandboxed commands of this process may write. The user's home folder is none, even as a
 * workspace: the configuration in it is protected.
 *
 * @param path Absolute.
 */
export function isDistrusted(path: string): boolean {
  const home = toReal(homedir()) ?? homedir();
  const real = toReal(path) ?? path;
  return [...writable].some((folder) => !isInside(home, folder) && (isInside(real, folder) || isInside(path, folder)));
}

/**
 * The folders of PATH from which Klaus runs programs without a sandbox. A folder is excluded if a sandboxed command could
 * have created the program: folders of workspaces, repositories, virtual environments and `node_modules`, and relative
 * paths.
 *
 * @param path The PATH of the user.
 * @returns Never empty.
 */
export function toHostPath(path = process.env['PATH'] ?? DEFAULT_PATH): string {
  const key = `${writable.size} ${toReal('.')} ${path}`;
  if (last?.key !== key) {
    const home = toReal(homedir()) ?? homedir();
    const trusted = path.split(delimiter).filter((folder) => isAbsolute(folder) && isTrusted(folder, home));
    last = { key, path: trusted.join(delimiter) || NO_FOLDER };
  }
  return last.path;
}

/** The environment of programs that Klaus runs without a sandbox: the user's, with {@link toHostPath}. */
export function toHostEnvironment(
  env: Readonly<Record<string, string | undefined>> = process.env,
): Record<string, string | undefined> {
  return { ...env, PATH: toHostPath(env['PATH']) };
}

function isTrusted(folder: string, home: string): boolean {
  const real = toReal(folder);
  if (real === undefined) return false;
  return [folder, real].every((path) => !isInProject(path, home));
}

function isInProject(path: string, home: string): boolean {
  const cwd = toReal('.');
  // If the current folder is the home folder, excluding it would exclude all programs of the user.
  const folders = cwd === undefined || isInside(home, cwd) ? [...writable] : [...writable, cwd];
  if (folders.some((folder) => isInside(path, folder))) return true;
  if (SYSTEM_FOLDERS.some((folder) => isInside(path, folder))) return false;
  for (let at = path; at !== home && at !== dirname(at); at = dirname(at))
    if (basename(at) === 'node_modules' || ['.git', 'pyvenv.cfg'].some((name) => existsSync(join(at, name))))
      return true;
  return false;
}

function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`);
}

function toReal(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}
