import { createHash } from 'node:crypto';
import { lstatSync, type Stats, statSync } from 'node:fs';
import { dirname, isAbsolute, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { contains, toRealPath } from '../paths.ts';
import type { ToolchainBinds } from './toolchains/toolchain-binds.ts';
import { isSystem, toRefusal, type ToolchainPaths } from './toolchains/toolchain-paths.ts';
import { VERSION_MANAGERS, type VersionManager } from './toolchains/version-managers.ts';
import { listNames } from '@klaus/adapters/system';
import { readText } from '../read-text.ts';

/** Limit of environments of one manager, and of packages of one environment. */
const MOST = 500;
const MAX_CHOICE = 64 * 1_024;
/** A table of variables, which may be secrets, in settings of mise. */
const VARIABLES = /^\s*(?:\[+\s*["']?env\b|["']?env["']?\s*[.=])/m;
/** Variables with a path in an environment, which its activation sets. */
const PLACE_NAME = /^(?!LD_|PYTHON|NODE_)[A-Z][A-Z0-9_]*_(?:HOME|DIR|ROOT|PREFIX|DATA|PATH|FILE|EXE)$/;
/** Variables with a version that the user chose for the shell. */
const CHOICE_NAME = /^(?:(?:PY|RB|NOD|GO|J)ENV_VERSION|(?:ASDF|MISE)_[A-Z0-9_]+_VERSION|CONDA_(?:DEFAULT_ENV|SHLVL))$/;

export interface EnvironmentOptions {
  places: ToolchainPaths;
  /** The user's home folder, where managers look for their own folders. */
  userHome: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Folders of PATH, absolute. */
  path: readonly string[];
  /** Other folders that commands see. Default: none. */
  shown?: readonly string[];
}

export interface Environments {
  variables: Record<string, string>;
  /** Settings in the user's home folder that commands see in their own, relative to it. */
  homeFiles: string[];
  /** Environments, or parts of them, that commands cannot see; each as a sentence with the reason. */
  refused: string[];
  /** PATH entries of refused environments. */
  without: Set<string>;
  /** Roots of the environments that are shown. */
  roots: string[];
}

/** Adds the active environment of the user's shell and the folders of version managers, each completely or not. */
export function addEnvironments(toolchains: ToolchainBinds, options: EnvironmentOptions): Environments {
  const found: Environments = { variables: {}, homeFiles: [], refused: [], without: new Set(), roots: [] };
  const { env, path } = options;
  const search: Search = { ...options, toolchains, found };
  for (const folder of path) addActivated(search, { root: dirname(folder), folder });
  for (const manager of VERSION_MANAGERS) addManager(search, manager);
  addPoetry(search);
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined) continue;
    const isPlace = PLACE_NAME.test(name) && isAbsolute(value) && found.roots.some((root) => contains(root, value));
    if (CHOICE_NAME.test(name) || (isPlace && !(name in found.variables))) found.variables[name] = value;
  }
  return found;
}

interface Search extends EnvironmentOptions {
  toolchains: ToolchainBinds;
  found: Environments;
}

/** Adds a virtual environment of Python or conda on PATH. */
function addActivated(search: Search, { root, folder }: { root: string; folder: string }): void {
  const { toolchains, places, shown = [], found } = search;
  const isPython = isFile(join(root, 'pyvenv.cfg'));
  if ((!isPython && !isFolder(join(root, 'conda-meta'))) || isSystem(root) || contains(places.workspace, root)) return;
  const reason = toRefusal(root, places) ?? toRefusal(toReal(root), places);
  if (reason !== undefined) {
    found.without.add(folder);
    found.refused.push(`The environment ${root} is left out: ${reason}. Commands use the rest of your PATH.`);
    return;
  }
  toolchains.addPrograms(folder);
  found.roots.push(root);
  found.refused.push(
    ...toMissing(toolchains, root, ['bin', 'lib']),
    ...findEditable(root, (path) => toolchains.showsAll(path) || shown.some((each) => contains(each, path))),
  );
}

function addManager(search: Search, manager: VersionManager): void {
  const { toolchains, places, userHome, env, path, found } = search;
  const { name, variable, parts, environments } = manager;
  const given = env[variable] || (manager.folder === '' ? undefined : join(userHome, manager.folder));
  if (given === undefined || !isAbsolute(given) || !isFolder(given)) return;
  const root = normalize(given).replace(/(?<=.)\/$/, '');
  const stores = [...new Set(environments.map((pattern) => pattern.slice(0, pattern.indexOf('/*'))))];
  const own = [join(root, 'shims'), join(root, 'bin'), ...stores.map((each) => join(root, each))];
  const used = path.filter((entry) => [entry, toReal(entry)].some((each) => own.some((part) => contains(part, each))));
  if (used.length === 0) return;
  const reason = isSystem(root) ? undefined : findRefusal(root, stores, places);
  if (reason !== undefined) {
    // Programs of `n` in a home folder work without it.
    if (name === 'n') return;
    for (const entry of used) found.without.add(entry);
    found.refused.push(
      `The environments of ${name} in ${root} are left out: ${reason}. Commands use the rest of your PATH.`,
    );
    return;
  }
  toolchains.addParts(root, parts);
  found.variables[variable] = root;
  found.roots.push(root);
  found.refused.push(...toMissing(toolchains, root, stores));
  for (const pattern of environments) {
    for (const environment of expand(root, pattern).filter(isFolder)) {
      toolchains.addRoots(environment);
      // A virtual environment is links to its interpreter.
      toolchains.addPrograms(join(environment, 'bin'));
      const real = toReal(environment);
      if (contains(toReal(root), real) || toolchains.showsAll(real)) continue;
      found.refused.push(...toMissing(toolchains, real, ['bin', 'lib']));
    }
  }
  addSettings(search, manager);
}

function findRefusal(root: string, stores: readonly string[], places: ToolchainPaths): string | undefined {
  const reason = toRefusal(root, places) ?? toRefusal(toReal(root), places);
  if (reason !== undefined) return reason;
  for (const store of stores) {
    const real = toReal(join(root, store));
    const refusal = contains(toReal(root), real) ? undefined : toRefusal(real, places);
    if (refusal !== undefined) return `${store} leads to ${real}, and ${refusal}`;
  }
  return undefined;
}

function addSettings({ toolchains, places, userHome, env, found }: Search, manager: VersionManager): void {
  const { homeFiles = [], settings, choices, name } = manager;
  for (const file of homeFiles) if (isChoice(join(userHome, file))) found.homeFiles.push(file);
  const files: string[] = [];
  for (let folder = dirname(places.workspace); folder !== dirname(folder); folder = dirname(folder))
    files.push(...choices.map((choice) => join(folder, choice)));
  if (settings) {
    const folder = env[settings.variable] || join(userHome, settings.folder);
    files.push(...settings.files.map((file) => join(folder, file)));
    found.variables[settings.variable] = folder;
    found.variables['MISE_TRUSTED_CONFIG_PATHS'] = places.workspace;
  }
  for (const file of files.filter(isChoice)) {
    if (file.endsWith('.toml') && VARIABLES.test(readText(file) ?? ''))
      found.refused.push(
        `${file} of ${name} is left out: it sets variables, which may be secrets. Move its [tools] to a separate file, such as .tool-versions.`,
      );
    else toolchains.addFile(file);
  }
}

/**
 * Adds environments of the workspace that Poetry created outside it.
 *
 * @source https://github.com/python-poetry/poetry/blob/main/src/poetry/utils/env/env_manager.py (`generate_env_name`)
 */
function addPoetry(search: Search): void {
  const { toolchains, places, userHome, env, found } = search;
  if (!isFile(join(places.workspace, 'pyproject.toml'))) return;
  const cache = env['POETRY_CACHE_DIR'] || join(env['XDG_CACHE_HOME'] || join(userHome, '.cache'), 'pypoetry');
  const folder = env['POETRY_VIRTUALENVS_PATH'] || join(cache, 'virtualenvs');
  const mark = `-${toPoetryMark(places.workspace)}-py`;
  const names = isAbsolute(folder) ? listNames(folder).filter((name) => name.includes(mark)) : [];
  for (const name of names) {
    const root = join(folder, name);
    addActivated(search, { root, folder: join(root, 'bin') });
  }
  if (names.length === 0) return;
  toolchains.addFile(join(folder, 'envs.toml'));
  found.variables['POETRY_VIRTUALENVS_PATH'] = folder;
}

function toPoetryMark(workspace: string): string {
  return createHash('sha256').update(workspace).digest('base64url').slice(0, 8);
}

/**
 * Packages that are installed from a folder that commands cannot see.
 *
 * @source https://packaging.python.org/en/latest/specifications/direct-url/
 */
function findEditable(root: string, isShown: (path: string) => boolean): string[] {
  const packages = expand(root, 'lib/python*/site-packages/*.dist-info');
  return packages.flatMap((folder) => {
    const source = readEditable(join(folder, 'direct_url.json'));
    if (source === undefined || !isFolder(source) || isShown(source)) return [];
    return [`${root} has a package from ${source}, which commands cannot see. Show it with --add-dir ${source}:ro.`];
  });
}

function readEditable(file: string): string | undefined {
  try {
    const { url, dir_info: info } = JSON.parse(readText(file) ?? '') as {
      url?: string;
      dir_info?: { editable?: boolean };
    };
    return info?.editable === true && url?.startsWith('file://') ? fileURLToPath(url) : undefined;
  } catch {
    return undefined;
  }
}

/** Existing parts that commands cannot see. */
function toMissing(toolchains: ToolchainBinds, root: string, parts: readonly string[]): string[] {
  return parts
    .map((part) => join(root, part))
    .filter((path) => isFolder(path) && !toolchains.showsAll(path))
    .map((path) => `${path} is incomplete for commands: it links to a hidden folder or contains secrets.`);
}

/** Paths that match a pattern, in which `*` matches any part of one name. */
function expand(root: string, pattern: string): string[] {
  let found = [root];
  for (const part of pattern.split('/')) {
    const wanted = new RegExp(`^${part.replaceAll('.', '\\.').replaceAll('*', '.*')}$`);
    found = found.flatMap((folder) =>
      part.includes('*')
        ? listNames(folder)
            .filter((name) => !name.startsWith('.') && wanted.test(name))
            .map((name) => join(folder, name))
        : join(folder, part),
    );
  }
  return found.slice(0, MOST);
}

function isChoice(path: string): boolean {
  const stat = statOf(path, lstatSync);
  return stat !== undefined && stat.isFile() && stat.size <= MAX_CHOICE;
}

function isFile(path: string): boolean {
  return statOf(path, statSync)?.isFile() ?? false;
}

function isFolder(path: string): boolean {
  return statOf(path, statSync)?.isDirectory() ?? false;
}

/** Undefined for a missing file and for one that the user may not access. */
function statOf(path: string, read: (path: string) => Stats): Stats | undefined {
  try {
    return read(path);
  } catch {
    return undefined;
  }
}

function toReal(path: string): string {
  return toRealPath(path) ?? path;
}
