import { createHash } from 'node:crypto';
import { encodeContent, type TextEncoding } from '@klaus/core/policy';
import type { ResolvedPath, ToolContext } from '@klaus/core/agent';
import { toolFailed } from '../tool-failed.ts';
import { decodeFile } from './form/decode-file.ts';
import { findFileRules } from './form/file-rules.ts';
import { toLineEnd, toLf, type LineEnd } from './form/line-ends.ts';
import { toExistingForm } from './other-name.ts';

/** Largest file whose complete text a result shows. */
export const MAX_FILE_BYTES = 2 * 1024 * 1024;
/** Largest file that is edited. */
export const MAX_EDIT_BYTES = 16 * 1024 * 1024;
/** Longest text that a model may write in one call, in characters. */
const MAX_INPUT_CHARS = 4 * 1024 * 1024;

/** How the text of a file is stored. */
export interface TextForm {
  encoding: TextEncoding;
  /** Encodings that the file can have as well, and in which it is another text. Absent: none. */
  others?: readonly TextEncoding[];
  /** The end of every line, if that is another than `\n`. The text has `\n` then. Absent: the text has its own. */
  eol?: LineEnd;
}

export interface TextFile extends TextForm {
  path: ResolvedPath;
  /** With `\n` line breaks if the file has `eol`, else unchanged. A byte-order mark is its first character. */
  text: string;
  /** Lower-case SHA-256 of the bytes. */
  hash: string;
}

/**
 * @throws KlausError `tool.failed` if the file is missing, binary or larger than {@link MAX_EDIT_BYTES}, and if its
 *   encoding would give other bytes for a part of it.
 */
export async function readTextFile(
  { workspace, encodings, find }: Pick<ToolContext, 'workspace' | 'encodings' | 'find'>,
  path: string,
): Promise<TextFile> {
  const resolved = await workspace.resolve(path);
  if (!(await workspace.stat(path))) {
    const other = await toExistingForm(path, { find });
    const hint = other === path ? {} : { hint: `A file whose name looks the same exists: ${JSON.stringify(other)}.` };
    throw toolFailed(`${resolved.relative} does not exist.`, hint);
  }
  const bytes = await workspace.read(path, { maxBytes: MAX_EDIT_BYTES });
  const decoded = await decodeFile(bytes, await findFileRules(workspace, resolved.relative, encodings));
  if (decoded === undefined) {
    throw toolFailed(`${resolved.relative} is not a text file (${describeBinary(bytes)}, ${bytes.length} bytes).`);
  }
  return { ...toTextFile(resolved, decoded, bytes) };
}

/** @throws KlausError `tool.failed` if the text would be written with other bytes. */
function toTextFile(
  path: ResolvedPath,
  { text: raw, encoding, others }: { text: string } & Pick<TextForm, 'encoding' | 'others'>,
  bytes: Uint8Array,
): TextFile {
  const encoded = encodeContent(raw, encoding);
  if (!('content' in encoded) || !Buffer.from(encoded.content).equals(bytes))
    throw toolFailed(
      `${path.relative} has characters with a code that ${encoding} also has in another form. Writing it would change them.`,
      { hint: 'Change the file with a command.' },
    );
  const eol = toLineEnd(raw);
  const form = { encoding, ...(others ? { others } : {}), ...(eol ? { eol } : {}) };
  return { path, text: eol ? toLf(raw) : raw, ...form, hash: toHash(bytes) };
}

/**
 * Encodes `text` with the line breaks and encoding of the file.
 *
 * @param file With its present text, if it has one.
 * @param name Name of the file, for the error.
 * @throws KlausError `tool.failed` for a character that the encoding does not have, and for a new one that has other
 *   bytes in another encoding that the file can have.
 */
export function encodeText(text: string, file: TextForm & { text?: string | undefined }, name: string): Uint8Array {
  const unclear = findUnclear(text, file);
  if (unclear !== undefined) {
    const names = [file.encoding, ...(file.others ?? [])];
    throw toolFailed(
      `${name} was not changed: its encoding is not certain (${listSome(names)}), and ${JSON.stringify(unclear)} differs in them.`,
      {
        hint: `Ask the user for the encoding, then set it: in .editorconfig with [${name}] and charset = NAME, or in the setting edit.encodings. ASCII text can be written without it.`,
      },
    );
  }
  const content = file.eol ? toLf(text).replaceAll('\n', file.eol) : text;
  const encoded = encodeContent(content, file.encoding);
  if ('content' in encoded) return encoded.content;
  throw toolFailed(
    `${name} was not changed: its encoding, ${file.encoding}, has no ${JSON.stringify(encoded.missing)}.`,
    { hint: 'Use other characters, or write the complete file as UTF-8 with write_file.' },
  );
}

/** The first character that the text has more often than the file, and that its possible encodings write differently. */
function findUnclear(text: string, { encoding, others, text: old = '' }: TextForm & { text?: string | undefined }) {
  if (!others) return undefined;
  const present = countLetters(old);
  return [...countLetters(text)].find(
    ([letter, count]) => count > (present.get(letter) ?? 0) && others.some((other) => !isSame(letter, encoding, other)),
  )?.[0];
}

function countLetters(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const letter of text.match(/[^\p{ASCII}\uFEFF]/gu) ?? []) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  return counts;
}

function isSame(letter: string, one: TextEncoding, other: TextEncoding): boolean {
  const [first, second] = [encodeContent(letter, one), encodeContent(letter, other)];
  if (!('content' in first) || !('content' in second)) return !('content' in first) && !('content' in second);
  return Buffer.from(first.content).equals(second.content);
}

/** The first of several names. */
export function listSome(names: readonly string[]): string {
  return names.length <= 4 ? names.join(', ') : `${names.slice(0, 4).join(', ')}, …`;
}

export function toHash(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** @throws KlausError `tool.failed` if the text cannot be the content of a text file. */
export function checkText(what: string, text: string): void {
  if (text.length > MAX_INPUT_CHARS) {
    throw toolFailed(`The ${what} is ${text.length} characters long. The maximum is ${MAX_INPUT_CHARS}.`);
  }
  if (text.includes('\0')) throw toolFailed(`The ${what} contains a null byte.`);
  if (!text.isWellFormed()) throw toolFailed(`The ${what} is not valid Unicode (a lone surrogate).`);
}

const SIGNATURES: readonly [hex: string, name: string][] = [
  ['89504e47', 'PNG image'],
  ['ffd8ff', 'JPEG image'],
  ['47494638', 'GIF image'],
  ['52494646', 'RIFF media'],
  ['25504446', 'PDF'],
  ['504b0304', 'ZIP archive'],
  ['1f8b', 'gzip data'],
  ['28b52ffd', 'Zstandard data'],
  ['7f454c46', 'ELF program'],
  ['0061736d', 'WebAssembly'],
  ['53514c697465', 'SQLite database'],
  ['cafebabe', 'Java class or Mach-O program'],
];

/** The type of binary content, by its first bytes. */
export function describeBinary(bytes: Uint8Array): string {
  const head = Buffer.from(bytes.subarray(0, 8)).toString('hex');
  return SIGNATURES.find(([hex]) => head.startsWith(hex))?.[1] ?? 'binary data';
}
