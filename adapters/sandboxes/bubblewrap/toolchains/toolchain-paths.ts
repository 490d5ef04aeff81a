import { basename, dirname, sep } from 'node:path';
import { contains } from '../../paths.ts';

/** Folders that are bound whole with the system. */
const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/nix/store', '/gnu/store'];
/** Folders of the machine's own state, or of this very machine's processes. */
const NEVER = ['/etc', '/proc', '/sys', '/dev', '/run', '/boot', '/var/run', '/var/spool', '/var/log', '/var/backups'];
/** Folders below the root that many things share. Another one, such as `/flutter`, may be a toolchain. */
const SHARED = ['home', 'root', 'opt', 'srv', 'var', 'mnt', 'media', 'tmp', 'snap', 'data', 'export', 'Users'];
/** Folders of a user that many things share. */
const SHARED_OF_USER = ['.local', '.config', '.cache', '.var', '.ssh', '.gnupg', 'Documents', 'Desktop', 'Downloads'];
/** On the way to a place that belongs to no toolchain. */
const PRIVATE = ['.git', '.ssh', '.gnupg', '.aws', '.password-store'];

export interface ToolchainPlaces {
  workspace: string;
  /** Klaus's own state: never visible. */
  home: string;
  /** Home folders of the user: what `HOME` names, and what the system knows. */
  userHomes: readonly string[];
}

export function isSystem(path: string): boolean {
  return SYSTEM.some((folder) => contains(folder, path));
}

/** True for a path that may be bound, as far as its name says. */
export function isBindable(path: string, { home, userHomes }: ToolchainPlaces): boolean {
  if (contains(path, home) || contains(home, path) || userHomes.some((folder) => contains(path, folder))) return false;
  if (NEVER.some((folder) => contains(folder, path))) return false;
  const parts = path.split(sep).slice(1);
  if (parts.some((name) => PRIVATE.includes(name))) return false;
  // A folder such as `/opt`, and one such as `/home/other`.
  return parts.length > 1 && !(parts.length === 2 && (parts[0] === 'home' || parts[0] === 'Users'));
}

/** True for a folder that can be a toolchain's own, with `bin`, `lib` and `share` that belong together. */
export function isPrefix(folder: string, places: ToolchainPlaces): boolean {
  const parts = folder.split(sep).slice(1);
  if (parts.length === 1) return parts[0] !== '' && !SHARED.includes(parts[0]!) && !isOutside(folder, places);
  if (SHARED_OF_USER.includes(basename(folder))) return false;
  // `~/.local/share` holds keyrings.
  if (basename(folder) === 'share' && basename(dirname(folder)) === '.local') return false;
  return isBindable(folder, places);
}

/** Why a folder cannot be shown as an environment, as a part of a sentence; undefined where it can. */
export function toRefusal(folder: string, places: ToolchainPlaces): string | undefined {
  if (isSystem(folder) || isPrefix(folder, places)) return undefined;
  const { home, userHomes } = places;
  if (userHomes.includes(folder)) return 'it is the home folder itself';
  if (contains(home, folder) || contains(folder, home)) return "it holds Klaus's own state, or is in it";
  if (userHomes.some((place) => contains(folder, place))) return 'it holds the home folder';
  const never = NEVER.find((place) => contains(place, folder));
  if (never !== undefined) return `it is in ${never}, which commands do not see`;
  const hidden = folder.split(sep).find((name) => PRIVATE.includes(name));
  if (hidden !== undefined) return `it is in a folder ${hidden}, which commands do not see`;
  return 'other things share its folder';
}

function isOutside(folder: string, { home, userHomes }: ToolchainPlaces): boolean {
  return [home, ...userHomes].some((place) => contains(folder, place)) || NEVER.includes(folder);
}
