import { headOf } from '@klaus/core/cut-text';
import { z } from 'zod';
import { defineBuiltinTool } from '../builtin-tool.ts';
import { toolFailed } from '../tool-failed.ts';
import { findApproved } from '../find-approved.ts';
import { runSearch } from './run-search.ts';
import { countExtensions, sample } from './summary.ts';

const input = z.object({
  pattern: z.string().describe('Rust regular expression'),
  path: z.string().optional(),
  glob: z.string().optional().describe('such as *.ts or src/**'),
  context: z.number().min(0).max(20).optional().describe('lines around each match'),
  literal: z.boolean().optional(),
  caseSensitive: z.boolean().optional().describe('default true'),
});

export const searchFiles = defineBuiltinTool({
  name: 'search_files',
  description:
    'Search file contents, except ignored files. Returns each file with its matching lines and their numbers.',
  input,
  effects: ['read'],
  resume: 'repeat',
  example: {
    files: { 'sum.js': 'export const sum = (a, b) => a - b;\n' },
    input: { pattern: 'sum = ' },
    output: /sum\.js\s+1: export const sum/,
  },
  cut: cutMatches,
  async prepare({ pattern, path = '.' }, { find }) {
    const { absolute, shown } = await find(path);
    const title = `search ${JSON.stringify(headOf(pattern, 80))}${shown === '' ? '' : ` in ${shown}`}`;
    return { title, access: [{ kind: 'fs', path: absolute, right: 'r' }] };
  },
  async run(options, context, intent) {
    const { pattern, path = '.' } = options;
    if (pattern === '' || pattern.length > 10_000) throw toolFailed('The pattern must have 1 to 10,000 characters.');
    if (pattern.includes('\0') || !pattern.isWellFormed()) throw toolFailed('The pattern is not valid text.');
    const at = await findApproved(path, context, intent);
    const state = await at.folder.stat(at.relative);
    if (!state) throw toolFailed(`${path} does not exist.`);
    // Reading a named pipe would block.
    if (state.kind === 'other') throw toolFailed(`${path} is no regular file.`);
    const { found, matches, more } = await runSearch(options, context, at);
    if (matches === 0) return { text: 'No matches.', detail: { matches: 0, files: 0 } };
    const head = `${matches}${more ? ' or more' : ''} match${matches === 1 ? '' : 'es'} in ${found.length} file${found.length === 1 ? '' : 's'}`;
    const limit = more ? [`[stopped after ${matches} matches; narrow the search for the rest]`] : [];
    const text = [head, ...found.map((file) => [file.path, ...file.lines].join('\n')), ...limit].join('\n\n');
    return { text, detail: { matches, files: found.length, more } };
  },
});

/** Counts by extension and file, then the first matches of each file up to the limit. */
export function cutMatches(text: string, max: number): string {
  if (text.length <= max) return text;
  const [head, ...blocks] = text.split('\n\n');
  const files = blocks.map((block) => block.split('\n')).filter((lines) => lines.length > 1);
  const counted = files.map(
    ([path, ...lines]) => `${path} ${lines.filter((line) => /^\d+(?::\d+)?: /.test(line)).length}`,
  );
  const paths = files.map(([path]) => path!);
  const top = [
    `${head}, which is too many to show. Narrow the search with path, glob or pattern.`,
    `Files by extension: ${countExtensions(paths)}`,
    'Matches by file:',
  ];
  const list = sample(counted, Math.floor(max * 0.3));
  const samples: string[] = [];
  let used = [...top, ...list].reduce((sum, line) => sum + line.length + 1, 10);
  // The first match of every file, then the second ones.
  const taken = new Map<string, string[]>();
  for (let depth = 1; depth < 50 && used < max; depth++) {
    for (const [path, ...lines] of files) {
      const line = lines[depth - 1];
      if (line === undefined) continue;
      const cost = line.length + 1 + (taken.has(path!) ? 0 : path!.length + 2);
      if (used + cost > max) continue;
      used += cost;
      taken.set(path!, [...(taken.get(path!) ?? []), line]);
    }
  }
  for (const [path, lines] of taken) samples.push('', path, ...lines);
  return headOf([...top, ...list, ...samples].join('\n'), max);
}
