import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, isAbsolute, join, normalize, sep } from 'node:path';
import { contains, toRealPath } from '../../paths.ts';
import { words } from '../../words.ts';
import { addEnvironments } from '../environments.ts';
import { ToolchainBinds } from './toolchain-binds.ts';
import { isSystem } from './toolchain-paths.ts';

/** Variables with the path of a toolchain. They are passed when the path is at least partly visible. */
const HOME_VARIABLES = words(`
  JAVA_HOME GOROOT VIRTUAL_ENV CONDA_PREFIX NVM_DIR VOLTA_HOME PYENV_ROOT RBENV_ROOT ASDF_DIR ASDF_DATA_DIR RUSTUP_HOME RUSTUP_TOOLCHAIN
`);

export interface ToolchainOptions {
  workspace: string;
  /** Klaus's own state, which is never visible. */
  home: string;
  userHome: string;
  /** The running Node program. */
  execPath: string;
  /** The environment to take PATH and toolchain homes from. */
  env: Readonly<Record<string, string | undefined>>;
  /** Other folders that commands see. They only affect `refused`. Default: none. */
  shown?: readonly string[];
}

export interface Toolchains {
  /** Folders and files to mount read-only at the same path; none lies in another one. */
  binds: string[];
  path: string;
  env: Record<string, string>;
  /** Files of the user's home folder that commands see in theirs. `path` is relative to it. */
  homeFiles: { source: string; path: string }[];
  /** Environments that are not shown, each as a sentence with the reason. */
  refused: string[];
}

/** Lifetime of the cached result: a session first reads `refused`, and then its sandbox needs the rest. */
const CACHE_MS = 5_000;

/** The last result of {@link findRefusedEnvironments}, for one use. */
let last: { key: string; at: number; found: Toolchains } | undefined;

/**
 * Finds the compilers and interpreters that the user's shell would find. Only the parts of a toolchain that its programs
 * need are mounted, because folders such as `~/.cargo` also contain credentials.
 */
export function findToolchains(options: ToolchainOptions): Toolchains {
  const { workspace, home, env } = options;
  const userHomes = [...new Set([options.userHome, env['HOME']])].flatMap(toHomePaths);
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
    // Programs find their other parts through the real path of their folder.
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

/** The cached result of {@link findRefusedEnvironments}, or else {@link findToolchains}. */
export function takeToolchains(options: ToolchainOptions): Toolchains {
  const known = last;
  last = undefined;
  const isKnown = known?.key === toKey(options) && performance.now() - known.at < CACHE_MS;
  return isKnown ? known.found : findToolchains(options);
}

/** All options except those that only affect `refused`. */
function toKey({ workspace, home, userHome, execPath, env }: ToolchainOptions): string {
  return JSON.stringify([workspace, home, userHome, execPath, env]);
}

/** The environments of the user's shell that commands in bubblewrap cannot see, each as a sentence with the reason. */
export function findRefusedEnvironments(options: Omit<ToolchainOptions, 'userHome' | 'execPath'>): string[] {
  const complete = { ...options, userHome: homedir(), execPath: process.execPath };
  const found = findToolchains(complete);
  last = { key: toKey(complete), at: performance.now(), found };
  return found.refused;
}

/** A home folder by its given path and by its real path. */
function toHomePaths(folder: string | undefined): string[] {
  if (folder === undefined || !isAbsolute(folder)) return [];
  const clean = trim(folder);
  // A service account may have no home folder, or `/`.
  if (clean === sep) return [];
  return [...new Set([clean, toRealPath(clean) ?? clean])];
}

function trim(path: string): string {
  const clean = normalize(path);
  return clean.length > 1 && clean.endsWith(sep) ? clean.slice(0, -1) : clean;
}
