import { headOf } from '@klaus/core/cut-text';
import { z } from 'zod';
import type { TextEncoding } from '@klaus/core/policy';
import { KlausError, type ShownFile } from '@klaus/core/protocol';
import type { ReadOptions, ToolContext, ToolOutput } from '@klaus/core/agent';
import { defineBuiltinTool } from '../builtin-tool.ts';
import { findApproved } from '../find-approved.ts';
import { toolFailed } from '../tool-failed.ts';
import { decodeFile } from './form/decode-file.ts';
import type { DetectedText } from './form/detect-encoding.ts';
import { findFileRules, type FileRules } from './form/file-rules.ts';
import { toLineEnd, toShownLines } from './form/line-ends.ts';
import { readLines } from './form/line-reader.ts';
import { suggestName, toExistingForm } from './other-name.ts';
import { describeBinary, listSome, MAX_FILE_BYTES, toHash } from './text-file.ts';
import { readUnsaved } from './unsaved-text.ts';

const input = z.object({
  path: z.string(),
  start: z.number().min(1).optional().describe('first line, from 1'),
  end: z.number().min(1).optional().describe('last line'),
  column: z.number().min(1).optional().describe('of long lines: first character, from 1'),
});

/** Bytes at the beginning of a file that show its encoding, if not all of it is read. */
const HEAD_BYTES = 65_536;
const MAX_RANGE_CHARS = MAX_FILE_BYTES;
const HEAD_LINES = 1_000;
const HEAD_CHARS = 100_000;
/** Characters of a line in a range. */
const MAX_LINE = 20_000;
/** Characters of a line with `column`, and at the beginning of a long file. */
const WINDOW = 2_000;

/** A file that the gate has approved, with the path from the model. */
interface OpenFile {
  path: string;
  /** Bytes. */
  size: number;
  read: (options: ReadOptions) => Promise<Uint8Array>;
  rules: FileRules;
}

/** Lines and characters, from 1. */
interface Range {
  start?: number | undefined;
  end?: number | undefined;
  column?: number | undefined;
}

/** What a reading shows. `hash`: of the complete content, if that was read. */
interface Reading {
  text: string;
  isError?: boolean;
  hash?: string;
  isPart: boolean;
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
  async prepare({ path, start, end }, context) {
    const { absolute, shown } = await context.find(await toExistingForm(path, context));
    const range = start === undefined && end === undefined ? '' : ` ${start ?? 1}–${end ?? ''}`;
    return { title: `read ${shown}${range}`, access: [{ kind: 'fs', path: absolute, right: 'r' }] };
  },
  async run({ path, ...range }, context: ToolContext, intent): Promise<ToolOutput> {
    const found = await findApproved(await toExistingForm(path, context), context, intent);
    const { folder, relative, shown } = found;
    const isOwn = folder.root === context.workspace.root;
    const unsaved = isOwn ? await readUnsaved(context, relative) : undefined;
    if (unsaved !== undefined) {
      const { text, isError } = await readOpen(toOpenFile(path, unsaved), range);
      return { text: `${text}\n${UNSAVED}`, ...(isError ? { isError } : {}) };
    }
    const state = await folder.stat(relative);
    if (state?.kind === 'directory') throw toolFailed(`${path} is a directory; list it with list_files.`);
    if (!state) throw toolFailed(`${path} does not exist.${await suggestName(context, found)}`);
    const read: OpenFile['read'] = (options) => folder.read(relative, { ...options, exact: true });
    const rules = await findFileRules(folder, relative, isOwn ? context.encodings : []);
    const reading = await readOpen({ path, size: state.size, read, rules }, range);
    const { text, isError } = reading;
    return isError ? { text, isError } : { text, shown: await toShown(context, shown, reading) };
  },
});

const UNSAVED = "[this is the unsaved text in the user's editor; it can be edited once the user has saved it]";

/** Largest file that is hashed for a part of it, in bytes. */
const MAX_HASHED = 16 * 1024 * 1024;

async function toShown({ workspace }: ToolContext, path: string, { hash, isPart }: Reading): Promise<ShownFile[]> {
  const known = hash ?? (await hashOfPart(workspace, path));
  return known === undefined ? [] : [{ path, hash: known, ...(isPart ? { part: true as const } : {}) }];
}

/** Undefined for a file that cannot be written, and for a large one. */
async function hashOfPart(workspace: ToolContext['workspace'], path: string): Promise<string | undefined> {
  try {
    const state = await workspace.stat(path);
    if (!state || state.size > MAX_HASHED) return undefined;
    return (await workspace.hash(path)) ?? undefined;
  } catch (error) {
    if (error instanceof KlausError) return undefined;
    throw error;
  }
}

/** A text as a file. */
function toOpenFile(path: string, text: string): OpenFile {
  const bytes = Buffer.from(text);
  const read: OpenFile['read'] = ({ offset = 0, length = bytes.length }) =>
    Promise.resolve(bytes.subarray(offset, offset + length));
  return { path, size: bytes.length, read, rules: {} };
}

async function readOpen(file: OpenFile, { start, end, column }: Range): Promise<Reading> {
  const { path, size, rules } = file;
  const isRange = start !== undefined || end !== undefined || column !== undefined;
  const isComplete = size <= MAX_FILE_BYTES;
  const content = await file.read(isComplete ? { maxBytes: MAX_FILE_BYTES } : { length: HEAD_BYTES });
  const decoded = await decodeFile(content, rules, { isComplete });
  if (decoded === undefined)
    return { text: `${path} is not text: ${describeBinary(content)}, ${size} bytes.`, isError: true, isPart: true };
  const hash = isComplete ? { hash: toHash(content) } : {};
  if (!isRange && isComplete) {
    const text = decoded.text === '' ? '(the file is empty)' : withEncoding(toShownLines(decoded.text), decoded);
    return { text, ...hash, isPart: false };
  }
  const separator = toLineEnd(decoded.text) === '\r' ? '\r' : '\n';
  const options = { encoding: decoded.encoding, separator } as const;
  const { text, isPart } = isRange
    ? await readRange(file, { ...options, start, end, column })
    : await readHead(file, { ...options, size });
  return { text: withEncoding(text, decoded), ...hash, isPart };
}

/** Appends the encoding to a text that is not UTF-8, and removes the byte-order mark of UTF-16. */
function withEncoding(text: string, { encoding, others }: DetectedText): string {
  if (encoding === 'utf-8') return text;
  const shown = encoding.startsWith('utf-16') ? text.replace(/^\uFEFF|(?<=^1\t)\uFEFF/, '') : text;
  const doubt = others
    ? `shown as ${encoding}, but it is not certain: it can also be ${listSome(others)}; only ASCII text, and what they share, can be written`
    : `${encoding}; edits keep the encoding`;
  return `${shown}\n[the file is in ${doubt}]`;
}

interface LineOptions {
  encoding: TextEncoding;
  separator: '\n' | '\r';
}

async function readRange(file: OpenFile, range: Range & LineOptions): Promise<{ text: string; isPart: boolean }> {
  const start = Math.floor(range.start ?? 1);
  const column = Math.floor(range.column ?? 1);
  const isWindow = range.column !== undefined;
  // A column is one of one line, unless more are named.
  const end = Math.floor(range.end ?? (isWindow ? start : Number.MAX_SAFE_INTEGER));
  if (end < start) throw toolFailed(`The range ${start}–${end} is empty.`);
  const width = isWindow ? WINDOW : MAX_LINE;
  const shown: string[] = [];
  let chars = 0;
  let last = 0;
  let isCut = isWindow;
  for await (const line of readLines(file.read, { ...range, from: column, width })) {
    last = line.number;
    if (line.number > end) break;
    if (line.number < start) continue;
    const rest = line.length - (column - 1) - line.text.length;
    if (rest > 0) isCut = true;
    chars += line.text.length;
    if (chars > MAX_RANGE_CHARS) {
      isCut = true;
      shown.push(`[cut at line ${line.number}: the range is too long]`);
      break;
    }
    const next = column + line.text.length;
    const more = rest > 0 ? `… [line ${line.number} has ${line.length} characters; read on with column ${next}]` : '';
    if (isWindow && line.text === '' && column > line.length + 1) {
      shown.push(`${line.number}\t[the line has ${line.length} characters]`);
    } else shown.push(`${line.number}\t${line.text}${more}`);
  }
  if (shown.length === 0) throw toolFailed(`${file.path} has ${last} lines. Line ${start} does not exist.`);
  return { text: shown.join('\n'), isPart: isCut || start > 1 || last > end };
}

async function readHead(
  file: OpenFile,
  options: LineOptions & { size: number },
): Promise<{ text: string; isPart: boolean }> {
  const shown: string[] = [];
  let chars = 0;
  let note = '';
  for await (const line of readLines(file.read, { ...options, from: 1, width: WINDOW })) {
    chars += line.text.length;
    if (shown.length >= HEAD_LINES || chars > HEAD_CHARS) break;
    if (line.length > line.text.length)
      note ||= ` Line ${line.number} has ${line.length} characters; read it with start, end and column.`;
    shown.push(line.length > line.text.length ? `${line.text}…` : line.text);
  }
  const { path } = file;
  return {
    text: `${shown.join('\n')}\n[${path} has ${options.size} bytes; these are its first ${shown.length} lines. Read the rest with start and end.${note}]`,
    isPart: true,
  };
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
  if (head === 0) {
    const room = Math.floor(max * 0.9);
    return `${headOf(text, room)}\n[… ${text.length - room} more characters; read a part of a long line with start, end and column]`;
  }
  // A range has line numbers; the lines of a complete file are counted.
  const numberOf = (at: number) => Number(/^(\d+)\t/.exec(lines[at] ?? '')?.[1] ?? at + 1);
  const note = `[… lines ${numberOf(head)}–${numberOf(tail - 1)} omitted; read them with start and end]`;
  return [...lines.slice(0, head), note, ...lines.slice(tail)].join('\n');
}
