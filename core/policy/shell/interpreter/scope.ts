import type { Function as ShellFunction } from 'unbash';
import { OPAQUE, UNKNOWN, type Word } from '../expansion/word.ts';

export type Value = Word | Word[];

export interface Scope {
  variables: Map<string, Value>;
  functions: Map<string, ShellFunction['body']>;
  aliases: Map<string, string>;
  /** Contents of files, by absolute path: those that this line wrote, and those that were given. */
  files: Map<string, Word>;
  /** Those of them that existed before the line. */
  given: Set<string>;
  /** Possible current folders: several if a `cd` may have failed. */
  cwds: readonly string[];
  /** The folders if the last `cd` failed. */
  cwdsOnFailure: readonly string[] | undefined;
  /** `$0`, `$1`, …; undefined entries do not exist. */
  positional: Word[];
  errexit: boolean;
  dotglob: boolean;
}

export function createScope(cwd: string): Scope {
  return {
    variables: new Map<string, Value>([
      ['IFS', ' \t\n'],
      ['HOME', HOME],
      ['TMPDIR', '/tmp'],
      ['SHELL', '/bin/bash'],
      ['BASH', '/bin/bash'],
    ]),
    functions: new Map(),
    aliases: new Map(),
    files: new Map(),
    given: new Set(),
    cwds: [cwd],
    cwdsOnFailure: undefined,
    positional: ['bash'],
    errexit: false,
    dotglob: false,
  };
}

/** The home folder, regardless of its real path. */
export const HOME = '/~';
const MOST_FOLDERS = 6;

export function copyScope(scope: Scope): Scope {
  return {
    ...scope,
    variables: new Map(scope.variables),
    functions: new Map(scope.functions),
    aliases: new Map(scope.aliases),
  };
}

/** Merges two possible scopes: a value that only one sets is used, different values are opaque, folders are united. */
export function joinScopes(into: Scope, other: Scope): void {
  for (const [name, value] of other.variables) {
    const own = into.variables.get(name);
    if (own === undefined) into.variables.set(name, value);
    else if (!isSame(own, value)) into.variables.set(name, OPAQUE);
  }
  for (const [name, body] of other.functions) if (!into.functions.has(name)) into.functions.set(name, body);
  for (const [name, text] of other.aliases) if (!into.aliases.has(name)) into.aliases.set(name, text);
  into.cwds = unite(into.cwds, other.cwds);
  into.dotglob ||= other.dotglob;
}

function isSame(a: Value | undefined, b: Value): boolean {
  if (typeof a === 'string' || typeof b === 'string') return a === b;
  return a !== undefined && a.length === b.length && a.every((item, at) => item === b[at]);
}

/** Both lists of folders; one unknown folder if there would be too many. */
export function unite(a: readonly string[], b: readonly string[]): readonly string[] {
  const all = [...new Set([...a, ...b])];
  return all.length > MOST_FOLDERS ? [`/${UNKNOWN}`] : all;
}
