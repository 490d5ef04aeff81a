import { existsSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, delimiter, dirname, isAbsolute, join } from 'node:path';

/** Where only the administrator installs programs, whatever lies beside them. */
const SYSTEM_FOLDERS = ['/usr', '/bin', '/sbin', '/opt', '/nix', '/snap', '/run', '/home/linuxbrew'];
/** Where no PATH is set, as execvp(3) does. */
const DEFAULT_PATH = '/usr/bin:/bin';
/** An empty PATH would mean the working folder. */
const NO_FOLDER = '/nonexistent';

/** Real paths of folders that sandboxed commands of this process may write. */
const writable = new Set<string>();
let last: { key: string; path: string } | undefined;

/** Takes no program from a folder from now on. Sandboxed commands may write it. */
export function distrustFolder(folder: string): void {
  writable.add(toReal(folder) ?? folder);
}

/**
 * The folders of PATH from which Klaus itself runs programs. Programs of Klaus run without a sandbox, so that a
 * folder is left out where a sandboxed command could have put the program there: a folder of a workspace, of any
 * repository, of a virtual environment or of `node_modules`, and whatever is not an absolute path.
 *
 * @param path PATH of the user.
 * @returns Never empty.
 */
export function toHostPath(path = process.env['PATH'] ?? DEFAULT_PATH): string {
  const key = `${writable.size} ${toReal('.')} ${path}`;
  if (last?.key !== key) {
    const home = toReal(homedir()) ?? homedir();
    const kept = path.split(delimiter).filter((folder) => isAbsolute(folder) && isTrusted(folder, home));
    last = { key, path: kept.join(delimiter) || NO_FOLDER };
  }
  return last.path;
}

/** The environment of a program that Klaus itself runs: the user's, with {@link toHostPath}. */
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
  // The whole home folder as working folder would leave out every program of the user.
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
