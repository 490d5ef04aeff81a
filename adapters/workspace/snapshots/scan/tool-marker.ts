import { lstatSync } from 'node:fs';
import { basename, join } from 'node:path';
import { readForeignBytesSync, readForeignFileSync } from '@klaus/adapters/system';
import { TOOL_MARKERS } from '@klaus/core/policy';
import { sha256 } from '../tree.ts';

const TAG = 'CACHEDIR.TAG';
/** @source https://bford.info/cachedir/ */
const SIGNATURE = 'Signature: 8a477f597d28d172789f06886806bc55';
const VENV = 'pyvenv.cfg';
/** Bytes up to which a tag is compared with a former one. */
const MAX_TAG = 64 * 1_024;

/** Usual names of virtual environments, in which tools put all kinds of files. */
const USUAL: ReadonlySet<string> = new Set(['.venv', 'venv']);

/** Names of a project. A folder with one of them is more than the folder of a tool. */
const PROJECT_NAMES: ReadonlySet<string> = new Set([
  ...['src', 'package.json', 'Cargo.toml', 'go.mod', 'pyproject.toml', 'requirements.txt', 'setup.py'],
]);

/** What other virtual environments have at their top. One with further names may be the folder of a project. */
const VENV_NAMES: ReadonlySet<string> = new Set([
  ...[
    VENV,
    TAG,
    '.gitignore',
    '.lock',
    'bin',
    'etc',
    'include',
    'lib',
    'lib64',
    'local',
    'man',
    'sbin',
    'share',
    'var',
  ],
  ...['Include', 'Lib', 'Scripts', 'Share', '.tox-info.json', 'log', 'tmp'],
]);

/** True if one of the names in a folder may be a marker. */
export function hasMarkerName(names: readonly string[]): boolean {
  for (const name of names) if (TOOL_MARKERS.has(name)) return true;
  return false;
}

/** The name of a valid marker in a folder. @param folder Absolute path. @param names The names in it. */
export function findMarker(folder: string, names: readonly string[]): string | undefined {
  const isEnvironment = names.includes(VENV);
  const isProject =
    !(isEnvironment && USUAL.has(basename(folder))) &&
    names.some((name) => PROJECT_NAMES.has(name) || (isEnvironment && !VENV_NAMES.has(name)));
  return names.find((name) => {
    if (!TOOL_MARKERS.has(name)) return false;
    const of = TOOL_MARKERS.get(name);
    if (of === undefined ? isProject : of !== basename(folder)) return false;
    return isFile(join(folder, name)) && (name !== TAG || hasSignature(join(folder, name)));
  });
}

/** True for a marker that marks folders of any name. */
export function isGeneric(marker: string): boolean {
  return TOOL_MARKERS.get(marker) === undefined;
}

/** True if a marker was in the folder before, given the hash of its former content. */
export function isSameMarker(folder: string, marker: string, former: Buffer): boolean {
  // The others are written again by each installation.
  if (marker !== TAG) return true;
  try {
    return sha256(readForeignBytesSync(join(folder, marker), MAX_TAG)).equals(former);
  } catch {
    return false;
  }
}

function isFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function hasSignature(path: string): boolean {
  try {
    return readForeignFileSync(path, { max: SIGNATURE.length, part: 'head' }).text === SIGNATURE;
  } catch {
    // It was removed, or cannot be read.
    return false;
  }
}
