import { existsSync, statSync } from 'node:fs';
import { basename, delimiter, dirname, isAbsolute, join, normalize, sep } from 'node:path';
import { contains } from '../paths.ts';

/** Folders that are bound whole with the system. */
const SYSTEM_FOLDERS = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/nix/store', '/gnu/store'];

/** Below the home folder: version managers that hold no credentials, bound whole. */
const VERSION_MANAGERS = `
  .nvm .fnm .nodenv .volta .bun .deno .pyenv .rbenv .jenv .goenv .asdf .sdkman .local/share/mise
  .local/share/fnm .local/share/pnpm .local/share/uv .local/share/pipx
`
  .trim()
  .split(/\s+/);

/** Variables that tell a toolchain where it lives. Kept when the place is visible inside. */
const HOME_VARIABLES = `
  JAVA_HOME GOROOT NVM_DIR VOLTA_HOME PYENV_ROOT RBENV_ROOT ASDF_DIR ASDF_DATA_DIR RUSTUP_HOME RUSTUP_TOOLCHAIN
`
  .trim()
  .split(/\s+/);

export interface ToolchainOptions {
  workspace: string;
  /** Klaus's own state: never visible. */
  home: string;
  userHome: string;
  /** The running Node program. */
  execPath: string;
  /** The environment to take PATH and toolchain homes from. */
  env: NodeJS.ProcessEnv;
}

export interface Toolchains {
  /** Folders to bind read-only at their own place. */
  binds: string[];
  path: string;
  env: Record<string, string>;
}

/**
 * Finds the compilers and interpreters that the user's shell would find. Of a folder in the home folder only
 * what programs need is bound: `~/.cargo` for one also holds the registry's token.
 */
export function findToolchains(options: ToolchainOptions): Toolchains {
  const { workspace, userHome, env } = options;
  const binds = new Set<string>();
  const path = [join(workspace, 'node_modules', '.bin')];
  const entries = (env['PATH'] ?? '').split(delimiter).filter(isAbsolute).map(trim);
  const usable = (folder: string) =>
    isFolder(folder) &&
    !contains(folder, userHome) &&
    !contains(folder, options.home) &&
    !contains(options.home, folder);
  for (const entry of [...entries, dirname(options.execPath)]) {
    const isForeignModules = entry.endsWith(`${sep}node_modules${sep}.bin`) && !contains(workspace, entry);
    if (isForeignModules || path.includes(entry)) continue;
    if (isSystem(entry) || contains(workspace, entry)) {
      path.push(entry);
      continue;
    }
    if (!usable(entry)) continue;
    path.push(entry);
    const whole = entry === dirname(options.execPath) ? [] : wholeToolchain(entry, userHome);
    for (const folder of [entry, ...librariesOf(entry), ...whole]) if (usable(folder)) binds.add(folder);
  }
  const rustup = env['RUSTUP_HOME'] ?? join(userHome, '.rustup');
  if (usable(rustup)) binds.add(rustup);
  for (const folder of ['/usr/local/bin', '/usr/bin', '/bin']) if (!path.includes(folder)) path.push(folder);
  const isVisible = (place: string) => isSystem(place) || [...binds].some((bind) => contains(bind, place));
  const kept = Object.fromEntries(
    HOME_VARIABLES.flatMap((name) => {
      const value = name === 'RUSTUP_HOME' ? rustup : env[name];
      if (value === undefined) return [];
      return isAbsolute(value) ? (isVisible(value) ? [[name, value]] : []) : [[name, value]];
    }),
  );
  return { binds: withoutNested([...binds]), path: path.join(delimiter), env: kept };
}

function isSystem(path: string): boolean {
  return SYSTEM_FOLDERS.some((folder) => contains(folder, path));
}

function wholeToolchain(entry: string, userHome: string): string[] {
  if (contains(userHome, entry)) {
    const root = VERSION_MANAGERS.map((name) => join(userHome, name)).find((folder) => contains(folder, entry));
    if (root) return [root];
    const parts = entry.slice(userHome.length + 1).split(sep);
    // ~/sdk/go1.25/bin is a toolchain of its own; ~/bin, ~/go/bin and ~/.tool/bin share a folder with other things.
    return parts.length >= 3 && !parts[0]!.startsWith('.') && parts.at(-1) === 'bin' ? [dirname(entry)] : [];
  }
  const parent = dirname(entry);
  const isPrefix = basename(entry) === 'bin' && dirname(parent) !== sep && parent !== sep;
  return isPrefix && !parent.includes(`${sep}node_modules${sep}`) ? [parent] : [];
}

function librariesOf(entry: string): string[] {
  if (basename(entry) !== 'bin') return [];
  return ['lib', 'lib64', 'libexec'].map((name) => join(dirname(entry), name));
}

function withoutNested(folders: string[]): string[] {
  return folders.filter((folder) => !folders.some((other) => other !== folder && contains(other, folder))).sort();
}

function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory();
}

function trim(path: string): string {
  const clean = normalize(path);
  return clean.length > 1 && clean.endsWith(sep) ? clean.slice(0, -1) : clean;
}
