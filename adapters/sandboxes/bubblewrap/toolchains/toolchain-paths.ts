import { basename, dirname, sep } from 'node:path';
import { contains } from '../../paths.ts';
import { words } from '../../words.ts';

/** Folders of the system, which are mounted completely. */
const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/nix/store', '/gnu/store'];
/** Folders with state of the machine or of its processes. */
const NEVER = ['/etc', '/proc', '/sys', '/dev', '/run', '/boot', '/var/run', '/var/spool', '/var/log', '/var/backups'];
/** Shared folders in `/`. Other folders, such as `/flutter`, may be a toolchain. */
const SHARED = ['home', 'root', 'opt', 'srv', 'var', 'mnt', 'media', 'tmp', 'snap', 'data', 'export', 'Users'];
const SHARED_USER_FOLDERS = words('.local .config .cache .var .ssh .gnupg Documents Desktop Downloads');
/** Names of folders that belong to no toolchain. */
const PRIVATE = ['.git', '.ssh', '.gnupg', '.aws', '.password-store'];

export interface ToolchainPaths {
  workspace: string;
  /** Klaus's own state, which is never visible. */
  home: string;
  /** Home folders of the user, from `HOME` and from the system. */
  userHomes: readonly string[];
}

export function isSystem(path: string): boolean {
  return SYSTEM.some((folder) => contains(folder, path));
}

/** True for a path that may be mounted, judged by its name. */
export function isBindable(path: string, { home, userHomes }: ToolchainPaths): boolean {
  if (contains(path, home) || contains(home, path) || userHomes.some((folder) => contains(path, folder))) return false;
  if (NEVER.some((folder) => contains(folder, path))) return false;
  const parts = path.split(sep).slice(1);
  if (parts.some((name) => PRIVATE.includes(name))) return false;
  // A folder such as `/opt`, and one such as `/home/other`.
  return parts.length > 1 && !(parts.length === 2 && (parts[0] === 'home' || parts[0] === 'Users'));
}

/** True for a folder that can be the prefix of a toolchain, with `bin`, `lib` and `share`. */
export function isPrefix(folder: string, places: ToolchainPaths): boolean {
  const parts = folder.split(sep).slice(1);
  if (parts.length === 1) return parts[0] !== '' && !SHARED.includes(parts[0]!) && !isOutside(folder, places);
  if (SHARED_USER_FOLDERS.includes(basename(folder))) return false;
  // `~/.local/share` contains keyrings.
  if (basename(folder) === 'share' && basename(dirname(folder)) === '.local') return false;
  return isBindable(folder, places);
}

/** The reason why a folder cannot be shown as an environment, as a part of a sentence; undefined if it can. */
export function toRefusal(folder: string, places: ToolchainPaths): string | undefined {
  if (isSystem(folder) || isPrefix(folder, places)) return undefined;
  const { home, userHomes } = places;
  if (userHomes.includes(folder)) return 'it is the home folder itself';
  if (contains(home, folder) || contains(folder, home)) return "it contains Klaus's own state, or is in it";
  if (userHomes.some((place) => contains(folder, place))) return 'it contains the home folder';
  const never = NEVER.find((place) => contains(place, folder));
  if (never !== undefined) return `it is in ${never}, which commands cannot see`;
  const hidden = folder.split(sep).find((name) => PRIVATE.includes(name));
  if (hidden !== undefined) return `it is in a folder ${hidden}, which commands cannot see`;
  return 'its folder also contains other files';
}

function isOutside(folder: string, { home, userHomes }: ToolchainPaths): boolean {
  return [home, ...userHomes].some((place) => contains(folder, place)) || NEVER.includes(folder);
}
