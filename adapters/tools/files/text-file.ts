import { createHash } from 'node:crypto';
import { decodeContent, encodeContent, type TextEncoding } from '@klaus/core/policy';
import type { ResolvedPath, Workspace } from '@klaus/core/agent';
import { toolFailed } from '../tool-failed.ts';

export const MAX_FILE_BYTES = 2 * 1024 * 1024;
/** Longest text that a model may write in one call, in characters. */
const MAX_INPUT_CHARS = 4 * 1024 * 1024;

export interface TextFile {
  path: ResolvedPath;
  /** With `\n` line breaks if the file has only `\r\n`, else unchanged. */
  text: string;
  /** True when every line of the file ends in `\r\n`. */
  crlf: boolean;
  encoding: TextEncoding;
  /** Lower-case SHA-256 of the bytes. */
  hash: string;
}

/** @throws KlausError `tool.failed` if the file is missing, binary or larger than {@link MAX_FILE_BYTES}. */
export async function readTextFile(workspace: Workspace, path: string): Promise<TextFile> {
  const resolved = await workspace.resolve(path);
  const bytes = await workspace.read(path, { maxBytes: MAX_FILE_BYTES });
  const decoded = decodeContent(bytes);
  if (decoded === undefined) {
    throw toolFailed(`${resolved.relative} is not a text file (${describeBinary(bytes)}, ${bytes.length} bytes).`);
  }
  const { text: raw, encoding } = decoded;
  const crlf = isCrlf(raw);
  return { path: resolved, text: crlf ? raw.replaceAll('\r\n', '\n') : raw, crlf, encoding, hash: toHash(bytes) };
}

/**
 * Encodes `text` with the line breaks and encoding of the file.
 *
 * @param name Name of the file, for the error.
 * @throws KlausError `tool.failed` for a character that the encoding does not have.
 */
export function encodeText(text: string, file: Pick<TextFile, 'crlf' | 'encoding'>, name: string): Uint8Array {
  const content = file.crlf ? toLf(text).replaceAll('\n', '\r\n') : text;
  const encoded = encodeContent(content, file.encoding);
  if ('content' in encoded) return encoded.content;
  throw toolFailed(
    `${name} was not changed: its encoding, ${file.encoding}, has no ${JSON.stringify(encoded.missing)}.`,
    { hint: 'Use other characters, or write the complete file as UTF-8 with write_file.' },
  );
}

export function toLf(text: string): string {
  return text.replaceAll('\r\n', '\n');
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

function isCrlf(text: string): boolean {
  return text.includes('\r\n') && !/(^|[^\r])\n/.test(text);
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
