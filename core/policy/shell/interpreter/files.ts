import { LONGEST_TEXT, type Call, type Stdin, type Interpreter } from './interpreter.ts';
import type { InlineCode } from '../evaluation.ts';
import { resolvePath } from '../expansion/resolve-path.ts';
import { isKnown, UNKNOWN, type Word } from '../expansion/word.ts';

export function record(shell: Interpreter, call: Call, code: InlineCode[] = []): void {
  // Long words count as well: this bounds the text that is shown.
  shell.step(1 + call.argv.reduce((size, word) => size + word.length, 0) / 1024);
  const word = call.argv[0] ?? '';
  shell.evaluation.commands.push({
    argv: call.argv,
    name: word.slice(word.lastIndexOf('/') + 1),
    assignments: call.assignments,
    redirects: call.redirects,
    via: shell.via,
    cwds: shell.scope.cwds,
    ...(call.stdin && { stdin: call.stdin.text }),
    code,
    dotglob: shell.scope.dotglob,
  });
}

export function readFile(shell: Interpreter, path: Word, stdin: Stdin | undefined): Word | undefined {
  if (/^\/dev\/stdin$|^\/(?:dev|proc\/self)\/fd\/0$/.test(path)) return stdin?.text ?? UNKNOWN;
  return shell.scope.files.get(toFilePath(shell, path));
}

function toFilePath(shell: Interpreter, path: Word): string {
  return resolvePath(path, shell.scope.cwds[0] ?? '/').replace('/proc/self/fd/', '/dev/fd/');
}

export function isGiven(shell: Interpreter, path: Word): boolean {
  return shell.scope.given.has(toFilePath(shell, path));
}

/** Folders with programs in the folder of a package, and in those above it. */
const PROGRAM_FOLDERS = ['node_modules/.bin', '.venv/bin', 'venv/bin'];

export function findProgram({ scope }: Interpreter, name: string): string | undefined {
  for (const cwd of scope.cwds)
    for (let at = cwd; ; at = at.replace(/\/[^/]*$/, '')) {
      const found = PROGRAM_FOLDERS.map((folder) => `${at}/${folder}/${name}`).find((path) => scope.files.has(path));
      if (found !== undefined) return found;
      if (at === '' || !at.startsWith('/')) break;
    }
  return undefined;
}

/** Stores the content of a file for later commands of the line. */
export function writeFile(shell: Interpreter, path: Word, { text, append }: { text: Word; append: boolean }): void {
  if (!isKnown(path) || path.startsWith('/dev/')) return;
  const full = resolvePath(path, shell.scope.cwds[0] ?? '/');
  const before = append ? (shell.scope.files.get(full) ?? UNKNOWN) : '';
  shell.scope.files.set(full, limit(before + text));
  shell.scope.given.delete(full);
}

export function limit(text: Word): Word {
  return text.length > LONGEST_TEXT ? UNKNOWN : text;
}
