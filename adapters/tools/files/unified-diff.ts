import { headOf } from '@klaus/core/cut-text';
import { toolFailed } from '../tool-failed.ts';
import type { FilePatch, Hunk } from './hunk.ts';

const HUNK = /^@@ -(\d+)(?:,\d+)? \+\d+(?:,\d+)? @@/;
const NOTHING = '/dev/null';

interface Header {
  /** The first line of the file's part. */
  begin: string;
  from?: string;
  to?: string;
  renameFrom?: string;
  renameTo?: string;
  mode?: number;
  hunks: Hunk[];
}

/**
 * Parses a unified diff, plain or from Git. Line counts in hunk headers are ignored, because they are often wrong.
 *
 * @throws KlausError `tool.failed` for a binary patch, a link, a part without lines or an invalid line.
 */
export function parseUnifiedDiff(lines: readonly string[]): FilePatch[] {
  const files: Header[] = [];
  let file: Header | undefined;
  let hunk: Hunk | undefined;
  const begin = (line: string): Header => {
    const header: Header = { begin: line, hunks: [] };
    files.push(header);
    hunk = undefined;
    return header;
  };
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!;
    if (line.startsWith('diff --git ')) file = begin(line);
    else if (isFileHeader(lines, at)) {
      if (!file || file.from !== undefined) file = begin(line);
      file.from = toName(line.slice(4));
      file.to = toName(lines[++at]!.slice(4));
    } else if (HUNK.test(line) && file) {
      hunk = { headers: [], lines: [], atEnd: false, line: Number(HUNK.exec(line)![1]) };
      file.hunks.push(hunk);
    } else if (hunk) addLine(hunk, line, at);
    else if (file) readExtended(file, line);
  }
  return files.flatMap(toFilePatch);
}

/** `---` followed by `+++`. A deleted line may begin with `-- ` too. */
function isFileHeader(lines: readonly string[], at: number): boolean {
  return lines[at]!.startsWith('--- ') && (lines[at + 1]?.startsWith('+++ ') ?? false);
}

function addLine(hunk: Hunk, line: string, at: number): void {
  const kind = line[0];
  const last = hunk.lines.at(-1);
  if (line.startsWith('\\')) {
    // `\ No newline at end of file` refers to the line before it.
    if (last && last.kind !== '-') hunk.newline = false;
    else if (last) hunk.newline ??= true;
    return;
  }
  if (line === '') hunk.lines.push({ kind: ' ', text: '' });
  else if (kind === ' ' || kind === '-' || kind === '+') hunk.lines.push({ kind, text: line.slice(1) });
  else throw toolFailed(`Line ${at + 1} of the patch is not part of a diff: ${JSON.stringify(headOf(line, 120))}.`);
}

function readExtended(file: Header, line: string): void {
  const [, type, mode] = /^(?:new|deleted) (?:file )?mode (\d{3})(\d{3})$/.exec(line) ?? [];
  if (type !== undefined && type !== '100') {
    throw toolFailed('The patch changes a symbolic link or a submodule, which is not supported.');
  }
  if (mode !== undefined && line.startsWith('new ')) file.mode = Number.parseInt(mode, 8);
  if (line.startsWith('rename from ')) file.renameFrom = unquote(line.slice(12));
  if (line.startsWith('rename to ')) file.renameTo = unquote(line.slice(10));
  if (line.startsWith('GIT binary patch') || line.startsWith('Binary files ')) {
    throw toolFailed('The patch changes a binary file, which is not supported.');
  }
}

function toFilePatch(file: Header): FilePatch[] {
  // An empty last line ends the patch, and is not part of a file.
  const last = file.hunks.at(-1)?.lines;
  while (last && last.length > 0 && last.at(-1)!.kind === ' ' && last.at(-1)!.text === '') last.pop();
  const { from, to } = stripPrefixes(file.from, file.to);
  const mode = file.mode === undefined ? {} : { mode: file.mode };
  if (file.renameFrom !== undefined && file.renameTo !== undefined) {
    return [{ kind: 'update', path: file.renameFrom, moveTo: file.renameTo, hunks: file.hunks, ...mode }];
  }
  if (from === undefined || to === undefined) {
    // An empty file, a copy or a mode. Ignoring it would apply only a part of the patch.
    throw toolFailed(
      `The patch has no lines to change for ${JSON.stringify(headOf(file.begin, 200))}; nothing was changed. Remove that part, or use *** Begin Patch.`,
    );
  }
  if (from === NOTHING && to === NOTHING) throw toolFailed('The patch has /dev/null as old and new file.');
  if (to === NOTHING) return [{ kind: 'delete', path: from, hunks: file.hunks }];
  if (from !== NOTHING) return [{ kind: 'update', path: to, hunks: file.hunks, ...mode }];
  const lines = file.hunks.flatMap((hunk) => hunk.lines.filter((line) => line.kind === '+').map((line) => line.text));
  const newline = file.hunks.every((hunk) => hunk.newline !== false);
  const content = lines.length === 0 ? '' : lines.join('\n') + (newline ? '\n' : '');
  return [{ kind: 'add', path: to, hunks: [], content, ...mode }];
}

function stripPrefixes(
  from: string | undefined,
  to: string | undefined,
): { from: string | undefined; to: string | undefined } {
  const has = (name: string | undefined, prefix: string) => name === NOTHING || (name?.startsWith(prefix) ?? false);
  if (!has(from, 'a/') || !has(to, 'b/')) return { from, to };
  const strip = (name: string | undefined) => (name === NOTHING ? name : name?.slice(2));
  return { from: strip(from), to: strip(to) };
}

/** A name without the timestamp that `diff -u` adds. */
function toName(text: string): string {
  return unquote(text.split('\t')[0]!.trimEnd());
}

/** Git quotes unusual names like C strings, with octal bytes. */
function unquote(name: string): string {
  if (!name.startsWith('"') || !name.endsWith('"')) return name;
  const bytes: number[] = [];
  const escapes: Readonly<Record<string, number>> = { n: 10, t: 9, r: 13, a: 7, b: 8, f: 12, v: 11, '"': 34, '\\': 92 };
  for (const [piece, octal, letter] of name.slice(1, -1).matchAll(/\\([0-3][0-7]{2})|\\(.)|[^\\]+/gu)) {
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8));
    else if (letter !== undefined) bytes.push(escapes[letter] ?? letter.charCodeAt(0));
    else bytes.push(...Buffer.from(piece));
  }
  return Buffer.from(bytes).toString('utf8');
}
