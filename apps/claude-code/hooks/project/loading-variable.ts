import { statSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { describeVariable, isBelow } from '@klaus/sdk/guard';

/** Variables by which Claude Code itself starts other programs, or finds another configuration. */
const OF_CLAUDE_CODE =
  /^(?:CLAUDE_CODE_(?:SHELL\w*|SIMPLE|SAFE_MODE|GIT_BASH_PATH|\w*PLUGIN_\w*DIRS?|\w*WRAPPER|\w*_COMMAND|\w*SETTINGS_PATH)|CLAUDE_(?:CONFIG_DIR|ENV_FILE)|SHELL|HOME|KLAUS_\w+|AGENT_MODEL)$/;
/** Variables of other programs that name a module, a program by a bare name, or where packages come from. */
const OF_OTHERS =
  /^(?:BUN_\w+|DOTNET_\w+|COR(?:ECLR)?_\w+|GOFLAGS|(?:CARGO_ENCODED_)?RUSTFLAGS|CC|CXX|PYTEST_(?:ADDOPTS|PLUGINS)|RIPGREP_\w+|LESS\w*|XDG_(?:CONFIG|DATA)\w*|CDPATH|IFS|.*(?:REGISTRY|INDEX|MIRROR|GOPROXY)\w*)$/i;
const IS_ADDRESS = /^(?!file:)\w[\w+.-]*:\/\/\S+$/i;
const IS_SHELL = /[$`;|&<>(){}\\\n]/;
const IS_OPTION = /^\s*-{1,2}[a-z]/i;
/** Folders in which every program can create files. */
const OPEN_FOLDERS = ['/tmp', '/var/tmp', '/dev/shm', '/proc'];

/**
 * True for a variable of a project's settings by which a program can load or start something: one that is known for it,
 * and any whose value is an option, shell code, or a path that the project can fill.
 *
 * @param root Absolute real path of the project.
 */
export function isLoadingVariable(name: string, value: string, root: string): boolean {
  if (OF_CLAUDE_CODE.test(name) || OF_OTHERS.test(name) || describeVariable(name, value) !== undefined) return true;
  if (IS_ADDRESS.test(value)) return false;
  return IS_OPTION.test(value) || IS_SHELL.test(value) || listPaths(value, root).length > 0;
}

/**
 * Absolute paths in a value: those of the project that exist or begin with `./`, and those in folders that all programs
 * can fill. Not the project itself.
 */
export function listPaths(value: string, root: string): string[] {
  return value.split(/[\s:;,="']+/).flatMap((word) => {
    const path = resolve(root, word);
    if (word === '' || path === root) return [];
    if (isAbsolute(word)) return [root, ...OPEN_FOLDERS].some((folder) => isBelow(path, folder)) ? [path] : [];
    if (/^\.\.?\//.test(word)) return [path];
    const found = statSync(path, { throwIfNoEntry: false });
    // A folder of the project can have the name of an ordinary word.
    return found?.isFile() === true || (found !== undefined && word.includes('/')) ? [path] : [];
  });
}
