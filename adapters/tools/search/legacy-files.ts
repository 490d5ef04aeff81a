import type { TextEncoding } from '@klaus/core/policy';
import type { FoundPath, ToolContext } from '@klaus/core/agent';
import { decodeFile } from '../files/form/decode-file.ts';
import { findFileRules } from '../files/form/file-rules.ts';
import { runRipgrep } from './ripgrep.ts';

/** Bytes that are not valid UTF-8: a wrong first byte, one that continues nothing, and one that is not continued. */
const NOT_UTF8 =
  '(?-u)[\\xC0\\xC1\\xF5-\\xFF]|(?:^|[\\x00-\\x7F])[\\x80-\\xBF]|[\\xC2-\\xF4](?:[\\x00-\\x7F\\xC0-\\xFF]|$)';
/** Files of other encodings that a search reads; further ones are searched as UTF-8. */
const MAX_FILES = 2_000;
/** Bytes that show the encoding of a file. */
const HEAD_BYTES = 65_536;

/** The files below a path that are not UTF-8. Paths are relative to the folder. */
export async function listOtherFiles(context: ToolContext, at: FoundPath): Promise<string[]> {
  const files: string[] = [];
  for await (const line of runRipgrep(context, { args: ['--files-with-matches', `--regexp=${NOT_UTF8}`], at })) {
    if (line !== null) files.push(line.replace(/^\.\//, ''));
    if (files.length === MAX_FILES) break;
  }
  return files;
}

/** The encodings of files. Binary files, and files that cannot be read, are left out. */
export async function findEncodings(
  { encodings }: ToolContext,
  { folder }: FoundPath,
  files: readonly string[],
): Promise<Map<TextEncoding, string[]>> {
  const found = new Map<TextEncoding, string[]>();
  for (const file of files) {
    const encoding = await findEncoding(folder, file, encodings);
    if (encoding === undefined || encoding === 'utf-8') continue;
    found.set(encoding, [...(found.get(encoding) ?? []), file]);
  }
  return found;
}

async function findEncoding(
  folder: FoundPath['folder'],
  file: string,
  encodings: readonly string[],
): Promise<TextEncoding | undefined> {
  try {
    const head = await folder.read(file, { length: HEAD_BYTES });
    const rules = await findFileRules(folder, file, encodings);
    return (await decodeFile(head, rules, { isComplete: head.length < HEAD_BYTES }))?.encoding;
  } catch {
    // It was removed, or has a name that is not UTF-8.
    return undefined;
  }
}
