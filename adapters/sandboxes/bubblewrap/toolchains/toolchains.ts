import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, isAbsolute, join, normalize, sep } from 'node:path';
import { contains } from '../../paths.ts';
import { addEnvironments } from '../environments.ts';
import { ToolchainBinds } from './toolchain-binds.ts';
import { isSystem } from './toolchain-paths.ts';

/** Variables that tell a toolchain where it lives. Kept when a part of the place is visible inside. */
const HOME_VARIABLES = `
  JAVA_HOME GOROOT VIRTUAL_ENV CONDA_PREFIX NVM_DIR VOLTA_HOME PYENV_ROOT RBENV_ROOT ASDF_DIR ASDF_DATA_DIR RUSTUP_HOME RUSTUP_TOOLCHAIN
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
  env: Readonly<Record<string, string | undefined>>;
  /** Folders that commands see besides, which only matter for what is refused. Default: none. */
  shown?: readonly string[];
}

export interface Toolchains {
  /** Folders and files to bind read-only at their own place; none lies in another one. */
  binds: string[];
  path: string;
  env: Record<string, string>;
  /** Files of the user's home folder that commands see in their own, relative to it. */
  homeFiles: { source: string; path: string }[];
  /** Environments that are not shown, each with the reason, as a sentence. */
  refused: string[];
}

/** A session asks what is refused, and a moment later its sandbox needs the rest. */
const BELIEVED_MS = 5_000;

/** What {@link findRefusedEnvironments} found last, once for a sandbox. */
let last: { key: string; at: number; found: Toolchains } | undefined;

/**
 * Finds the compilers and interpreters that the user's shell would find. Of each toolchain only the parts that its
 * programs need are bound: `~/.cargo` for one also holds the registry's token.
 */
export function findToolchains(options: ToolchainOptions): Toolchains {
  const { workspace, home, env } = options;
  const userHomes = [...new Set([options.userHome, env['HOME']])].flatMap(toPlaces);
  const toolchains = new ToolchainBinds({ workspace, home, userHomes });
  const path = [join(workspace, 'node_modules', '.bin')];
  const entries = (env['PATH'] ?? '').split(delimiter).filter(isAbsolute).map(trim);
  const places = { workspace, home, userHomes };
  const userHome = env['HOME'] || options.userHome;
  const environments = addEnvironments(toolchains, {
    places,
    userHome,
    env,
    path: entries.filter((entry) => !contains(workspace, entry)),
    shown: options.shown,
  });
  for (const entry of [...entries, dirname(options.execPath)]) {
    const isForeignModules = entry.endsWith(`${sep}node_modules${sep}.bin`) && !contains(workspace, entry);
    if (isForeignModules || path.includes(entry) || environments.without.has(entry)) continue;
    if (contains(workspace, entry)) path.push(entry);
    // Programs find their other parts by the real place of their folder, which is no symlink inside.
    else if (toolchains.addPrograms(entry)) path.push(isSystem(entry) ? entry : realpathSync.native(entry));
  }
  const rustup = env['RUSTUP_HOME'] ?? join(options.userHome, '.rustup');
  if (isAbsolute(rustup)) toolchains.addRoots(trim(rustup));
  for (const folder of ['/usr/local/bin', '/usr/bin', '/bin']) if (!path.includes(folder)) path.push(folder);
  const kept = Object.fromEntries(
    HOME_VARIABLES.flatMap((name) => {
      const value = name === 'RUSTUP_HOME' ? rustup : env[name];
      if (value === undefined) return [];
      return !isAbsolute(value) || toolchains.shows(trim(value)) ? [[name, value]] : [];
    }),
  );
  return {
    binds: toolchains.binds,
    path: path.join(delimiter),
    env: { ...environments.variables, ...kept },
    homeFiles: environments.homeFiles.map((file) => ({ source: join(userHome, file), path: file })),
    refused: [...new Set(environments.refused)],
  };
}

/** What {@link findRefusedEnvironments} found a moment ago, else {@link findToolchains}. */
export function takeToolchains(options: ToolchainOptions): Toolchains {
  const known = last;
  last = undefined;
  const isKnown = known?.key === toKey(options) && performance.now() - known.at < BELIEVED_MS;
  return isKnown ? known.found : findToolchains(options);
}

/** Everything but what decides only about what is refused. */
function toKey({ workspace, home, userHome, execPath, env }: ToolchainOptions): string {
  return JSON.stringify([workspace, home, userHome, execPath, env]);
}

/**
 * The environments that commands in bubblewrap would not see although the user's shell uses them, each with the
 * reason, as a sentence.
 */
export function findRefusedEnvironments(options: Omit<ToolchainOptions, 'userHome' | 'execPath'>): string[] {
  const whole = { ...options, userHome: homedir(), execPath: process.execPath };
  const found = findToolchains(whole);
  last = { key: toKey(whole), at: performance.now(), found };
  return found.refused;
}

/** A home folder by its own path and by the one without links. */
function toPlaces(folder: string | undefined): string[] {
  if (folder === undefined || !isAbsolute(folder)) return [];
  const clean = trim(folder);
  // An account of a service may have no folder, or the root.
  if (clean === sep) return [];
  try {
    return [...new Set([clean, realpathSync.native(clean)])];
  } catch {
    return [clean];
  }
}

function trim(path: string): string {
  const clean = normalize(path);
  return clean.length > 1 && clean.endsWith(sep) ? clean.slice(0, -1) : clean;
}
