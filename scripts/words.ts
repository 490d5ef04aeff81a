import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where the words are defined, and files whose text is not ours or is data: corpora, licences, generated lists. */
const GLOSSARY = 'docs/glossary.md';
const TEXT = /\.(?:[cm]?[jt]sx?|css|html|sh|md|ya?ml|py)$|^klaus$|^Dockerfile$/;
const NOT_OURS = [
  /^scripts\/fixtures\//,
  /^scripts\/words(?:\.test)?\.ts$/,
  /^docs\/glossary\.md$/,
  /^test\/.*\.txt$/,
  /^LICENSE$/,
];

/** Former names that a file must still know, with the reason. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  // The field of event version 2 that became `freshness`.
  'adapters/store/sqlite/log/record.ts': ['standing'],
  'adapters/store/sqlite/log/log.test.ts': ['standing'],
  'test/receipts/former-version.test.ts': ['standing'],
  // Names the former wire fields.
  'CHANGELOG.md': ['mend', 'standing'],
  // Words by which a model claims that all tests pass.
  'core/policy/checks/find-claims.ts': ['whole', 'mended'],
  // Words of users and of files that reviewers recognize.
  'core/reviewers/calls/judge-instructions.ts': ['say yes', 'tell'],
  'core/reviewers/scope/request-limits.ts': ['tell'],
  'core/reviewers/style/requested-style.ts': ['whole'],
  // The name of an interpreter.
  'core/policy/shell/programs/interpreters.ts': ['wish'],
  // The Unix user for other owners in a user namespace.
  'adapters/sandboxes/project-home.ts': ['nobody'],
  // Databases store the names of their migrations.
  'adapters/store/sqlite/migrations/migrate.ts': ['whole'],
  // A stored value, which is documented.
  'ARCHITECTURE.md': ['tell'],
  'docs/sdk.md': ['tell'],
  'docs/reference/events.md': ['tell'],
  'docs/reference/tools.md': ['tell'],
  'scripts/docs/tools-page.ts': ['tell'],
};

/** `resume: 'tell'` is a stored value of `tool.started` events: this use is allowed everywhere. */
const STORED_VALUE = /(?<=')tell(?=')/g;

/** A word or phrase that is not used, and the cell of the glossary that says what to write. */
export interface BannedWord {
  text: string;
  pattern: RegExp;
  instead: string;
}

/** One use of a banned word. */
export interface WordFinding {
  path: string;
  /** From 1. */
  line: number;
  word: string;
  instead: string;
}

/** The banned words of a glossary: the column "Not" of each of its tables. */
export function readBannedWords(glossary: string): BannedWord[] {
  let columns: string[] = [];
  return glossary.split('\n').flatMap((line) => {
    if (!line.startsWith('|')) {
      columns = [];
      return [];
    }
    const cells = line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim());
    if (columns.length === 0) {
      columns = cells;
      return [];
    }
    const cell = (name: string) => cells[columns.indexOf(name)] ?? '';
    const instead = cell('Write') || cell('Term');
    return [...cell('Not').matchAll(/`([^`]+)`/g)].map(([, text = '']) => ({
      text,
      instead,
      pattern: toPattern(text),
    }));
  });
}

/** Matches the phrase in any case, across a line break of prose or of a comment. */
function toPattern(text: string): RegExp {
  const words = text.split(' ').map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/\\\*$/, '[a-z]*'));
  return new RegExp(
    `(?<![\\p{L}\\p{N}])${words.join('(?:[ \\t]|\\n[ \\t]*(?:\\*|//|#|>)?[ \\t]*)+')}(?![\\p{L}\\p{N}])`,
    'giu',
  );
}

/** Parts of identifiers as words: `isWholeFile` and `WHOLE_FILE` hold the word `whole`. Keeps the count of lines. */
function splitIdentifiers(text: string): string {
  return text.replace(/(?<=\p{Ll}|\p{N})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu, ' ').replaceAll('_', ' ');
}

/** Every use of a banned word in a text. */
export function findBannedWords(path: string, text: string, banned: readonly BannedWord[]): WordFinding[] {
  const plain = splitIdentifiers(text.replace(STORED_VALUE, '    '));
  return banned
    .flatMap(({ pattern, instead }) =>
      Array.from(plain.matchAll(pattern), ({ 0: match, index }) => {
        const line = plain.slice(0, index).split('\n').length;
        const word = match.replace(/[\s*/#>]+/g, ' ').toLowerCase();
        return { path, line, word, instead };
      }),
    )
    .filter(({ word }) => !ALLOWED[path]?.includes(word))
    .toSorted((a, b) => a.line - b.line || a.word.localeCompare(b.word));
}

/** Every use of a banned word in the files that git knows below `root`, or in those whose path begins with one of `below`. */
export function checkWords(root: string, below: readonly string[] = []): WordFinding[] {
  const banned = readBannedWords(readFileSync(join(root, GLOSSARY), 'utf8'));
  const { stdout } = spawnSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard', ...below], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 << 20,
  });
  const paths = stdout.split('\0').filter((path) => TEXT.test(path) && !NOT_OURS.some((it) => it.test(path)));
  // A file that was deleted may still be in the index.
  const present = paths.filter((path) => existsSync(join(root, path)));
  return present.flatMap((path) => findBannedWords(path, readFileSync(join(root, path), 'utf8'), banned));
}

if (import.meta.main) {
  const findings = checkWords(join(import.meta.dirname, '..'), process.argv.slice(2));
  for (const { path, line, word, instead } of findings) console.error(`${path}:${line} "${word}": write ${instead}`);
  console.log(`${findings.length} uses of words that ${GLOSSARY} rules out`);
  process.exitCode = findings.length > 0 ? 1 : 0;
}
