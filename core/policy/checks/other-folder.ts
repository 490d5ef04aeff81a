import type { Command } from 'unbash';

export const OTHER_FOLDER = 'it works in a folder outside of the workspace';
export const UNKNOWN_FOLDER = 'the folder in which it runs is only known at run time';

/** Options whose value is a place for output. */
const OUTPUT = /out|report|log|cache|te?mp|xml|cov|result|artifact|store|snapshot|profile|trace|dest/i;
/** Folders of programs and their files. */
const PROGRAMS = /^\/(?:dev|usr|bin|sbin|lib|lib64|opt|nix|proc|etc)\//;
/** Words for the folder in which the line starts, or for the repository around it. */
const HERE =
  /^"?(?:\$PWD|\$\{PWD\}|\$\(pwd\)|\$CLAUDE_PROJECT_DIR|\$\{CLAUDE_PROJECT_DIR\}|\$\(git rev-parse --show-toplevel\))"?$/;

/** True for a path that leaves the workspace, as {@link toFolder} returns it. */
export function isOutside(path: string): boolean {
  return /^(?:\/|~|\.\.(?:\/|$))/.test(path);
}

/** True if an argument of a check names a place outside of the workspace that is not for its output. */
export function namesOtherFolder(args: readonly string[], toPath: (text: string) => string): boolean {
  return args.some((arg, at) => {
    const [, option = '', joined] = /^(--?[\w.-]+=|-[A-Za-z](?=[/.~]))?(.*)$/s.exec(arg) ?? [];
    const value = option === '' && arg.startsWith('-') ? '' : (joined ?? '');
    const named = option !== '' ? option : (args[at - 1] ?? '').startsWith('-') ? args[at - 1]! : '';
    if (!/^(?:\/|~|\.\.?(?:\/|$))/.test(value) || PROGRAMS.test(value) || OUTPUT.test(named)) return false;
    return isOutside(toPath(value));
  });
}

/** True for `cd "$DIR"`, whose folder a reader of the line does not know. */
export function isUnknownFolder(node: Command): boolean {
  return !node.args.every((word) => HERE.test(word.text));
}
