import { showName } from '@klaus/core/protocol';

/** A name, or a path, as the system takes it: bytes where text cannot name it. */
export type FileName = string | Buffer;

const ESCAPE = /\\x([0-9a-f]{2})/g;
const SLASH = Buffer.from('/');

/**
 * The name of a file as text, which {@link toFileName} turns back. A byte that is no UTF-8 is spelled `\xff`, as everywhere
 * it is shown. A backslash of the name itself that would look like one is spelled `\x5c`.
 */
export function toNameText(bytes: Buffer): string {
  const escaped = bytes.toString('latin1').replaceAll(ESCAPE, '\\x5cx$1');
  return showName(Buffer.from(escaped, 'latin1'));
}

/** @param text A name, or a path, as states spell it. */
export function toFileName(text: string): FileName {
  if (!hasByteNames(text)) return text;
  const parts = text.split(ESCAPE);
  return Buffer.concat(parts.map((part, at) => Buffer.from(part, at % 2 === 0 ? 'utf8' : 'hex')));
}

/** True for the path of a state that does not spell each of its names as it is. */
export function hasByteNames(path: string): boolean {
  return path.includes('\\x') && path.search(ESCAPE) !== -1;
}

/** The path of a child of a folder. */
export function joinFileName(folder: FileName, name: FileName): FileName {
  if (typeof folder === 'string' && typeof name === 'string') return `${folder}/${name}`;
  return Buffer.concat([Buffer.from(folder as string), SLASH, Buffer.from(name as string)]);
}
