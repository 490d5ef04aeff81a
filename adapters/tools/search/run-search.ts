import { z } from 'zod';
import type { FoundPath, ToolContext } from '@klaus/core/agent';
import { showName } from '@klaus/core/protocol';
import { toSearchTest } from './glob.ts';
import { findEncodings, listOtherFiles } from './legacy-files.ts';
import { toShownLines } from './match-window.ts';
import { runRipgrep, toShown } from './ripgrep.ts';

/** What is searched, and how. */
export interface SearchOptions {
  pattern: string;
  glob?: string | undefined;
  /** Lines around each match. */
  context?: number | undefined;
  literal?: boolean | undefined;
  caseSensitive?: boolean | undefined;
}

export interface FileMatches {
  path: string;
  /** `12: text` for a match, `12- text` for context, `--` between blocks. */
  lines: string[];
}

export interface SearchResult {
  found: FileMatches[];
  matches: number;
  /** True if the search was stopped at the limit. */
  more: boolean;
}

/** The fields of ripgrep's `--json` output that are read. */
const textSchema = z.union([z.object({ text: z.string() }), z.object({ bytes: z.string() })]);
const line = {
  lines: textSchema,
  line_number: z.int(),
  submatches: z.array(z.object({ start: z.int(), end: z.int() })),
};
const recordSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('begin'), data: z.object({ path: textSchema }) }),
  z.object({ type: z.literal('match'), data: z.object(line) }),
  z.object({ type: z.literal('context'), data: z.object(line) }),
  z.object({ type: z.literal('end') }),
  z.object({ type: z.literal('summary') }),
]);

/** Files of one call of ripgrep. */
const BATCH = 200;

/**
 * Searches the files below a path, each in its encoding: those that are not UTF-8 are searched again, once for each
 * encoding.
 */
export async function runSearch(options: SearchOptions, context: ToolContext, at: FoundPath): Promise<SearchResult> {
  const run = new SearchRun(options, context, at);
  // A plain pattern is found in every encoding.
  const others = /^[\w\s"'`=<>;:,@#%&~!/-]*$/.test(options.pattern) ? undefined : await listOtherFiles(context, at);
  const isOther = new Set(others);
  await run.search({ isIncluded: (path) => !isOther.has(path) });
  const again = others ?? run.takeOthers();
  for (const [encoding, files] of await findEncodings(context, at, again)) {
    for (let from = 0; from < files.length; from += BATCH)
      await run.search({ args: [`--encoding=${encoding}`], files: files.slice(from, from + BATCH) });
  }
  return run.toResult({ isMixed: again.length > 0 });
}

interface Pass {
  args?: readonly string[];
  files?: readonly string[];
  isIncluded?: (path: string) => boolean;
}

class SearchRun {
  readonly #options: SearchOptions;
  readonly #context: ToolContext;
  readonly #at: FoundPath;
  readonly #matchesGlob: (path: string) => boolean;
  #found: FileMatches[] = [];
  /** Files with a line that is not UTF-8, by the path of their matches. */
  readonly #others = new Map<FileMatches, string>();
  #matches = 0;
  #more = false;

  constructor(options: SearchOptions, context: ToolContext, at: FoundPath) {
    this.#options = options;
    this.#context = context;
    this.#at = at;
    this.#matchesGlob = options.glob === undefined ? () => true : toSearchTest(options.glob);
  }

  async search({ args = [], files, isIncluded = () => true }: Pass): Promise<void> {
    const context = this.#context;
    if (this.#more) return;
    let current: FileMatches | undefined;
    let path = '';
    let previous = 0;
    const request = { args: [...this.#toArguments(), ...args], at: this.#at, ...(files ? { files } : {}) };
    for await (const output of runRipgrep(context, request)) {
      if (output === null) {
        // The record, with its line number, is too long.
        if (!current || this.#isFull()) continue;
        const lines = args.length > 0 ? ['0: [this line is too long to show]'] : await this.#readLongLine(path);
        this.#add(current, lines, 1);
        continue;
      }
      const record = recordSchema.parse(JSON.parse(output));
      if (record.type === 'begin') {
        path = toPath(record.data.path);
        const isMeant = this.#matchesGlob(path) && isIncluded(path);
        current = isMeant ? { path: toShown(this.#at, path), lines: [] } : undefined;
        previous = 0;
      } else if ((record.type === 'match' || record.type === 'context') && current) {
        const isMatch = record.type === 'match';
        if (isMatch && this.#isFull()) {
          this.#more = true;
          return;
        }
        const { line_number: number, lines, submatches: places } = record.data;
        if (!('text' in lines)) this.#others.set(current, path);
        if (this.#options.context && previous > 0 && number > previous + 1) current.lines.push('--');
        previous = number;
        const text = 'text' in lines ? lines.text : Buffer.from(lines.bytes, 'base64').toString('latin1');
        const shown = toShownLines(number, isMatch ? ':' : '-', { text, places });
        if (isMatch) this.#add(current, shown, 1);
        else current.lines.push(...shown);
      }
    }
  }

  /** The files whose lines have to be decoded. Their matches are removed. */
  takeOthers(): string[] {
    const taken = this.#found.filter((file) => this.#others.has(file));
    this.#found = this.#found.filter((file) => !this.#others.has(file));
    const count = (file: FileMatches): number => file.lines.filter((each) => /^\d+(?::\d+)?: /.test(each)).length;
    this.#matches -= taken.reduce((sum, file) => sum + count(file), 0);
    if (taken.length > 0) this.#more = false;
    return taken.map((file) => this.#others.get(file)!);
  }

  /** @param isMixed True after several passes, whose files are in the order of their paths again. */
  toResult({ isMixed }: { isMixed: boolean }): SearchResult {
    if (isMixed) this.#found.sort((a, b) => (a.path < b.path ? -1 : 1));
    return { found: this.#found, matches: this.#matches, more: this.#more };
  }

  #isFull(): boolean {
    return this.#matches === this.#context.maxSearchResults;
  }

  #add(file: FileMatches, lines: readonly string[], matches: number): void {
    if (this.#found.at(-1) !== file) this.#found.push(file);
    file.lines.push(...lines);
    this.#matches += matches;
  }

  #toArguments(format: readonly string[] = ['--json']): string[] {
    const { pattern, literal, caseSensitive, context } = this.#options;
    const args = [...format, `--regexp=${pattern}`];
    if (literal) args.push('--fixed-strings');
    if (caseSensitive === false) args.push('--ignore-case');
    if (context && format.includes('--json')) args.push(`--context=${Math.floor(context)}`);
    return args;
  }

  /** The places of the matches in a line that is too long for one record. */
  async #readLongLine(path: string): Promise<string[]> {
    const args = this.#toArguments(['--only-matching', '--line-number', '--column', '--byte-offset', '--no-filename']);
    const lines: string[] = [];
    const request = { args: [...args, '--max-columns=1000'], at: this.#at, files: [path] };
    for await (const output of runRipgrep(this.#context, request)) {
      const [, number, column, offset] = /^(\d+):(\d+):(\d+):/.exec(output ?? '') ?? [];
      if (number === undefined) continue;
      lines.push(await this.#readWindow(path, { number, column: Number(column), offset: Number(offset) }));
      if (lines.length === 3) break;
    }
    return lines.length === 0 ? ['0: [this line is too long to show]'] : lines;
  }

  async #readWindow(path: string, place: { number: string; column: number; offset: number }): Promise<string> {
    const { folder } = this.#at;
    const line = place.offset - (place.column - 1);
    const before = await folder.read(path, { offset: line, length: place.column - 1 });
    const bytes = await folder.read(path, { offset: place.offset, length: 300 });
    const start = new TextDecoder().decode(before);
    const text = (new TextDecoder().decode(bytes).split('\n')[0] ?? '').replace(/\uFFFD+$/, '');
    return `${place.number}:${start.length + 1}: ${start.length > 150 ? '…' : ''}${start.slice(-150).toWellFormed()}${text}…`;
  }
}

function toPath(value: z.infer<typeof textSchema>): string {
  const path = 'text' in value ? value.text : showName(Buffer.from(value.bytes, 'base64'));
  return path.replace(/^\.\//, '');
}
