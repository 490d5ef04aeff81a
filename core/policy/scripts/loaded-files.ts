import type { SimpleCommand } from '../shell/evaluation.ts';
import { isKnown, type Word } from '../shell/expansion/word.ts';

/** Folders of a workspace that can be on the search path of its commands. */
const PROGRAM_FOLDERS = ['node_modules/.bin', '.venv/bin', 'venv/bin'];

/** Variables by which a program loads code, or finds it: files, folders, or options that name them. */
const CODE_VARIABLES =
  /^(?:BASH_ENV|ENV|ZDOTDIR|NODE_OPTIONS|NODE_PATH|PYTHON(?:PATH|STARTUP|HOME)|PERL5?(?:OPT|LIB|5LIB|5OPT|5DB)|RUBY(?:OPT|LIB)|LD_(?:PRELOAD|LIBRARY_PATH|AUDIT)|DYLD_\w+|LUA_(?:PATH|CPATH|INIT)|JAVA_TOOL_OPTIONS|CLASSPATH|GIT_(?:SSH|SSH_COMMAND|EXTERNAL_DIFF|PAGER|EDITOR|EXEC_PATH|CONFIG\w*)|EDITOR|VISUAL|PAGER|npm_config_\w+)$/i;

/**
 * Files of the workspace that a search for a program by name can find, for the program and its wrappers. A command may
 * create one there, so an approval is bound to each of them.
 */
export function toProgramFiles({ name, via, argv }: SimpleCommand): string[] {
  const names = [name, ...via.map((word) => word.split(' ')[0]!)];
  if ((argv[0] ?? '').includes('/')) names.shift();
  return names.filter((each) => /^[\w.+@-]+$/.test(each)).flatMap(toProgramPaths);
}

export function toProgramPaths(name: string): string[] {
  return PROGRAM_FOLDERS.map((folder) => `${folder}/${name}`);
}

/** True for a path at which a search for a program by name finds a workspace file. */
export function isProgramPath(path: string): boolean {
  return PROGRAM_FOLDERS.some((folder) => path.startsWith(`${folder}/`));
}

/** The program that the first line of a script names through `env`. */
export function toNamedInterpreter(text: string): string[] {
  const [, name] = /^#!.*[/\s]env\s+(?:-\S+\s+|\w+=\S*\s+)*([\w.+-]+)/.exec(text.slice(0, 256)) ?? [];
  return name === undefined ? [] : toProgramPaths(name);
}

/** The files and module folders that variables of a line make programs load. */
export function toLoaded({ assignments }: SimpleCommand): { words: Word[]; isComplete: boolean } {
  const own = assignments.filter(({ name }) => CODE_VARIABLES.test(name));
  const words = own.flatMap(({ value }) => (isKnown(value) ? value.split(/[\s:;,='"]+/) : [value]));
  return { words: words.filter((word) => word !== ''), isComplete: own.length === 0 };
}
