import { headOf } from '@klaus/core/cut-text';
import { z } from 'zod';
import { decodeContent, type TextEncoding } from '@klaus/core/policy';
import type { ReadOptions, ToolContext, ToolOutput } from '@klaus/core/agent';
import { defineBuiltinTool } from '../builtin-tool.ts';
import { findApproved } from '../find-approved.ts';
import { toolFailed } from '../tool-failed.ts';
import { describeBinary, MAX_FILE_BYTES, toLf } from './text-file.ts';
import { readUnsaved } from './unsaved-text.ts';

const input = z.object({
  path: z.string(),
  start: z.number().min(1).optional().describe('first line, from 1'),
  end: z.number().min(1).optional().describe('last line'),
});

const CHUNK = 1024 * 1024;
const MAX_RANGE_CHARS = MAX_FILE_BYTES;
const HEAD_LINES = 1_000;
const HEAD_CHARS = 100_000;

/** A file that the gate has approved, with the path from the model. */
interface OpenFile {
  path: string;
  /** Bytes. */
  size: number;
  read: (options: ReadOptions) => Promise<Uint8Array>;
}

/** Lines, from 1. */
interface Range {
  start: number | undefined;
  end: number | undefined;
}

export const readFile = defineBuiltinTool({
  name: 'read_file',
  description:
    'Read a text file. Without start and end: its exact text. With them: these lines, each preceded by its number and a tab, which are not part of the file.',
  input,
  effects: ['read'],
  resume: 'repeat',
  example: { files: { 'sum.js': 'export const sum = (a, b) => a - b;\n' }, input: { path: 'sum.js' }, output: 'a - b' },
  cut: cutLines,
  async prepare({ path, start, end }, { find }) {
    const { absolute, shown } = await find(path);
    const range = start === undefined && end === undefined ? '' : ` ${start ?? 1}–${end ?? ''}`;
    return { title: `read ${shown}${range}`, access: [{ kind: 'fs', path: absolute, right: 'r' }] };
  },
  async run({ path, start, end }, context: ToolContext, intent): Promise<ToolOutput> {
    const { folder, relative } = await findApproved(path, context, intent);
    const isOwn = folder.root === context.workspace.root;
    const unsaved = isOwn ? await readUnsaved(context, relative) : undefined;
    if (unsaved !== undefined) {
      const output = await readOpen(toOpenFile(path, unsaved), { start, end });
      return { ...output, text: `${output.text}\n${UNSAVED}` };
    }
    const state = await folder.stat(relative);
    if (state?.kind === 'directory') throw toolFailed(`${path} is a directory; list it with list_files.`);
    const read: OpenFile['read'] = (options) => folder.read(relative, { ...options, exact: true });
    return readOpen({ path, size: state?.size ?? 0, read }, { start, end });
  },
});

const UNSAVED = "[this is the unsaved text in the user's editor; it can be edited once the user has saved it]";

/** A text as a file. */
function toOpenFile(path: string, text: string): OpenFile {
  const bytes = Buffer.from(text);
  const read: OpenFile['read'] = ({ offset = 0, length = bytes.length }) =>
    Promise.resolve(bytes.subarray(offset, offset + length));
  return { path, size: bytes.length, read };
}

async function readOpen(file: OpenFile, { start, end }: Range): Promise<ToolOutput> {
  const { path, size } = file;
  const head = await file.read({ length: 8_192 });
  const decodedHead = decodeContent(head, { isComplete: head.length < 8_192 });
  if (decodedHead === undefined) {
    return { text: `${path} is not text: ${describeBinary(head)}, ${size} bytes.`, isError: true };
  }
  const { encoding } = decodedHead;
  if (start !== undefined || end !== undefined) {
    const text = await readRange(file, { start: start ?? 1, end, encoding });
    return { text: withEncoding(text, encoding) };
  }
  if (size > MAX_FILE_BYTES) return { text: withEncoding(await readHead(file, { size, encoding }), encoding) };
  const decoded = decodeContent(await file.read({ maxBytes: MAX_FILE_BYTES }));
  if (decoded === undefined) return { text: `${path} is not text: it contains binary data.`, isError: true };
  if (decoded.text === '') return { text: '(the file is empty)' };
  return { text: withEncoding(toLf(decoded.text), decoded.encoding) };
}

/** Appends the encoding to a text that is not UTF-8, and removes the byte-order mark of UTF-16. */
function withEncoding(text: string, encoding: TextEncoding): string {
  if (encoding === 'utf-8') return text;
  return `${encoding === 'windows-1252' ? text : text.replace(/^\uFEFF|(?<=^1\t)\uFEFF/, '')}\n[the file is in ${encoding}; edits keep the encoding]`;
}

/** The lines of a file without line breaks, in blocks. */
async function* readLines({ read }: OpenFile, encoding: TextEncoding): AsyncGenerator<string[]> {
  const decoder = new TextDecoder(encoding, { ignoreBOM: true });
  let rest = '';
  for (let offset = 0; ; offset += CHUNK) {
    const bytes = await read({ offset, length: CHUNK });
    const isLast = bytes.length < CHUNK;
    const lines = (rest + decoder.decode(bytes, { stream: !isLast })).split('\n');
    rest = lines.pop()!;
    // A very long line, such as a minified file, is split so that it does not fill the memory.
    if ((isLast && rest !== '') || rest.length > MAX_RANGE_CHARS) lines.push(rest);
    if (rest.length > MAX_RANGE_CHARS) rest = '';
    yield lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
    if (isLast) return;
  }
}

async function readRange(
  file: OpenFile,
  range: { start: number; end: number | undefined; encoding: TextEncoding },
): Promise<string> {
  const { encoding } = range;
  const start = Math.floor(range.start);
  const end = Math.floor(range.end ?? Number.MAX_SAFE_INTEGER);
  if (end < start) throw toolFailed(`The range ${start}–${end} is empty.`);
  const shown: string[] = [];
  let before = 0;
  let chars = 0;
  for await (const lines of readLines(file, encoding)) {
    for (const [i, line] of lines.slice(0, Math.max(0, end - before)).entries()) {
      const number = before + i + 1;
      if (number < start) continue;
      chars += line.length;
      if (chars > MAX_RANGE_CHARS) return [...shown, `[cut at line ${number}: the range is too long]`].join('\n');
      shown.push(`${number}\t${line}`);
    }
    before += lines.length;
    if (before >= end) break;
  }
  if (shown.length > 0) return shown.join('\n');
  throw toolFailed(`${file.path} has ${before} lines. Line ${start} does not exist.`);
}

async function readHead(file: OpenFile, { size, encoding }: { size: number; encoding: TextEncoding }): Promise<string> {
  const shown: string[] = [];
  let chars = 0;
  for await (const lines of readLines(file, encoding)) {
    for (const line of lines) {
      chars += line.length;
      if (shown.length >= HEAD_LINES || chars > HEAD_CHARS) break;
      shown.push(line);
    }
    if (shown.length >= HEAD_LINES || chars > HEAD_CHARS) break;
  }
  return `${shown.join('\n')}\n[${file.path} has ${size} bytes; these are its first ${shown.length} lines. Read the rest with start and end.]`;
}

/** Keeps complete lines at the start and end, with a note on the omitted ones. */
export function cutLines(text: string, max: number): string {
  if (text.length <= max) return text;
  const lines = text.split('\n');
  let head = 0;
  let tail = lines.length;
  for (let used = 0; head < lines.length && used + lines[head]!.length + 1 <= max * 0.6; head++)
    used += lines[head]!.length + 1;
  for (let used = 0; tail > head && used + lines[tail - 1]!.length + 1 <= max * 0.3; tail--)
    used += lines[tail - 1]!.length + 1;
  if (head === 0)
    return `${headOf(text, Math.floor(max * 0.9))}\n[… ${text.length - Math.floor(max * 0.9)} more characters]`;
  // A range has line numbers; the lines of a complete file are counted.
  const numberOf = (at: number) => Number(/^(\d+)\t/.exec(lines[at] ?? '')?.[1] ?? at + 1);
  const note = `[… lines ${numberOf(head)}–${numberOf(tail - 1)} omitted; read them with start and end]`;
  return [...lines.slice(0, head), note, ...lines.slice(tail)].join('\n');
}
