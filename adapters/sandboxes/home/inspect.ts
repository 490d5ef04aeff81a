import { createHash, randomUUID } from 'node:crypto';
import { realpathSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { CheckEnvironment } from '@klaus/core/protocol';
import { findProgram } from '../find-program.ts';
import { contains } from '../paths.ts';
import { LOADED } from './configuration.ts';
import { listNames, readForeignBytesSync } from '@klaus/adapters/system';
import { readText } from '../read-text.ts';

/** Larger files are compared by size. */
const MAX_BYTES = 32 * 1_048_576;
/** Configuration that test runners and package managers load. Files with variables are left out, because they contain secrets. */
const CONFIGURES =
  /^(?:\.npmrc|\.yarnrc|\.yarnrc\.yml|\.?pnpmfile\.[cm]?js|pnpm-workspace\.yaml|\.?bunfig\.toml|package\.json|tsconfig.*\.json|(?:GNU)?[mM]akefile|pyproject\.toml|pytest\.ini|setup\.cfg|tox\.ini|conftest\.py|(?:site|user)customize\.py|Cargo\.toml|go\.mod|deno\.jsonc?|\.mocharc.*|\.eslintrc.*|[\w-]+\.config\.[cm]?[jt]s)$/;

export interface InspectOptions {
  workspace: string;
  /** The home on this machine. */
  home: string;
  /** File with the suspects of the workspace, see {@link saveSuspects}. */
  suspects: string;
  path: string;
  programs: readonly string[];
  /** Relative to the workspace. */
  folders: readonly string[];
}

/** The environment that affects commands of the sandbox, read from outside, so that no command can falsify it. */
export function inspectEnvironment(options: InspectOptions): CheckEnvironment {
  const { workspace, home, path, programs, folders } = options;
  const name = (absolute: string): string =>
    contains(workspace, absolute) ? `./${relative(workspace, absolute)}` : absolute;
  const found = {
    path: path.split(':').map(name).join(':'),
    shell: findScriptShell(workspace),
    programs: [...new Set(programs)].sort().flatMap((program) => {
      const file = findProgram(program, path);
      if (file === undefined) return [];
      const hash = contains(workspace, file) ? hashFile(file) : undefined;
      return [{ name: program, path: name(file), hash }];
    }),
    files: [...new Set(['', ...folders])].sort().flatMap((folder) => listConfiguration(workspace, folder)),
    left: listSuspects(options),
    home: LOADED.flatMap((pattern) => expand(home, pattern.split('/'))).sort(),
  };
  return { digest: createHash('sha256').update(JSON.stringify(found)).digest('hex'), ...found };
}

/** Stores paths with the hash of their present content. */
export function saveSuspects(options: Pick<InspectOptions, 'workspace' | 'suspects'>, paths: readonly string[]): void {
  const known = readSuspects(options.suspects);
  for (const path of paths) {
    const hash = hashFile(join(options.workspace, path), options.workspace);
    if (hash !== undefined) known[path] = hash;
  }
  // Written to a temporary file first, because another Klaus process may read it.
  const made = `${options.suspects}.${randomUUID()}`;
  writeFileSync(made, JSON.stringify(known), { mode: 0o600 });
  renameSync(made, options.suspects);
}

function listSuspects({ workspace, suspects }: InspectOptions): string[] {
  return Object.entries(readSuspects(suspects))
    .filter(([path, hash]) => hashFile(join(workspace, path), workspace) === hash)
    .map(([path]) => path)
    .sort();
}

function readSuspects(file: string): Record<string, string> {
  const text = readText(file) || '{}';
  return JSON.parse(text) as Record<string, string>;
}

function findScriptShell(workspace: string): string {
  const text = readText(join(workspace, '.npmrc')) ?? '';
  return /^\s*script-shell\s*=\s*(.+?)\s*$/m.exec(text)?.[1] ?? 'sh';
}

function listConfiguration(workspace: string, folder: string): { path: string; hash: string }[] {
  const absolute = join(workspace, folder);
  if (!contains(workspace, absolute)) return [];
  return listNames(absolute)
    .filter((name) => CONFIGURES.test(name))
    .sort()
    .flatMap((name) => {
      const hash = hashFile(join(absolute, name), workspace);
      return hash === undefined ? [] : [{ path: join(folder, name), hash }];
    });
}

/** @param within Links to files outside this folder are not followed. */
function hashFile(file: string, within?: string): string | undefined {
  try {
    const real = realpathSync.native(file);
    if (within !== undefined && !contains(within, real)) return undefined;
    const { size } = statSync(real);
    if (!statSync(real).isFile()) return undefined;
    const content = size > MAX_BYTES ? `${size} bytes` : readForeignBytesSync(real, MAX_BYTES);
    return createHash('sha256').update(content).digest('hex');
  } catch {
    return undefined;
  }
}

/** Paths that match a pattern, as `~/…`. */
function expand(home: string, parts: readonly string[]): string[] {
  let found = [''];
  for (const part of parts) {
    const fits = new RegExp(`^${part.replaceAll('.', '\\.').replaceAll('*', '.*')}$`);
    found = found.flatMap((folder) =>
      listNames(join(home, folder))
        .filter((name) => fits.test(name))
        .map((name) => join(folder, name)),
    );
  }
  return found.map((path) => `~/${path}`);
}
