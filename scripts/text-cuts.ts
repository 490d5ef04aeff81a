import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listSources } from './imports.ts';

/** Names of texts in this project. A hash, an id or a date has other names, and is ASCII. */
const TEXT =
  'text|line|message|title|name|reason|output|content|prompt|said|error|label|query|description|command|script|diff|summary|quote';
/** Calls whose result is a text. */
const TEXT_CALL =
  '(?:join|trim|trimEnd|trimStart|replace|replaceAll|redact|toLine|stringify|String)\\([^()]*(?:\\([^()]*\\)[^()]*)*\\)';
/** A bound that is no position in the text: a number of at least 20, or a constant. */
const BOUND =
  '(?:[2-9]\\d|\\d_?\\d{2,}|\\d{1,3}_\\d{3}|[A-Z][A-Z_]{2,}(?!\\.length)|max|width|room)\\b(?!\\.)(?: - 1)?';

const CUT = new RegExp(
  `\\b(?:${TEXT}|${TEXT_CALL})!?\\.(?:slice|substring|substr)\\((?:0, ${BOUND}|-${BOUND})\\)(?!\\.toWellFormed\\(\\))`,
  'g',
);

/**
 * Cuts of a text between two UTF-16 units, which can divide a character: `headOf`, `tailOf`, `cutText` and `splitText`
 * divide none. Found by the names of texts, because the types are not known here.
 *
 * @returns `path:line source` of each.
 */
export function findTextCuts(root: string, folders: readonly string[]): string[] {
  return folders
    .flatMap((folder) => listSources(root, folder))
    .filter((path) => !/\.(?:test|fixture)\.tsx?$|\/fixtures\//.test(path))
    .flatMap((path) => {
      const source = readFileSync(join(root, path), 'utf8');
      return [...source.matchAll(CUT)].map(
        ({ 0: cut, index }) => `${path}:${source.slice(0, index).split('\n').length} ${cut}`,
      );
    });
}
