import { headOf } from '@klaus/core/cut-text';
import { z } from 'zod';
import { defineBuiltinTool } from '../builtin-tool.ts';
import { findApproved } from '../find-approved.ts';
import { toolFailed } from '../tool-failed.ts';
import { hasBrackets, toSearchTest } from './glob.ts';
import { runRipgrep, toShown } from './ripgrep.ts';
import { countExtensions, countFolders, sample } from './summary.ts';

const MAX_FILES = 50_000;

export const listFiles = defineBuiltinTool({
  name: 'list_files',
  description: 'List the paths of files, except ignored ones. Deeper folders are shown with their number of files.',
  input: z.object({
    path: z.string().optional(),
    glob: z.string().optional().describe('such as *.ts or src/**'),
    depth: z.number().min(1).optional(),
  }),
  effects: ['read'],
  resume: 'repeat',
  example: { files: { 'src/a.js': '' }, input: { glob: '*.js' }, output: 'src/a.js' },
  cut: cutList,
  async prepare({ path = '.' }, { find }) {
    const { absolute, shown } = await find(path);
    return { title: `list ${shown || '.'}`, access: [{ kind: 'fs', path: absolute, right: 'r' }] };
  },
  async run({ path = '.', glob, depth }, context, intent) {
    const found = await findApproved(path, context, intent);
    const state = await found.folder.stat(found.relative);
    if (!state) throw toolFailed(`${path} does not exist.`);
    if (state.kind !== 'directory') throw toolFailed(`${path} is not a directory.`);
    const matches = glob === undefined ? () => true : toSearchTest(glob);
    const files: string[] = [];
    let isCut = false;
    for await (const record of runRipgrep(context, { args: ['--files'], at: found })) {
      const file = (record ?? '').replace(/^\.\//, '');
      if (!matches(file)) continue;
      if (files.length === MAX_FILES) {
        isCut = true;
        break;
      }
      files.push(file);
    }
    if (files.length === 0) return { text: glob === undefined ? 'No files.' : toNoMatch(glob) };
    const shown = depth === undefined ? files : foldDeep(files, Math.floor(depth), found.relative);
    const lines = shown.map((line) => toShown(found, line));
    if (isCut) lines.push(`[only the first ${MAX_FILES} files are listed]`);
    return { text: lines.join('\n'), detail: { files: files.length } };
  },
});

function toNoMatch(glob: string): string {
  const hint = hasBrackets(glob) ? ' For a name with brackets, write \\[ and \\].' : '';
  return `No files match ${glob}.${hint}`;
}

/** Replaces files deeper than `depth` by one line for each folder. */
function foldDeep(files: readonly string[], depth: number, base: string): string[] {
  const skip = base === '' ? 0 : base.split('/').length;
  const lines = new Map<string, number>();
  for (const file of files) {
    const parts = file.split('/');
    const key = parts.length - skip <= depth ? file : `${parts.slice(0, skip + depth).join('/')}/`;
    lines.set(key, (lines.get(key) ?? 0) + 1);
  }
  return [...lines].map(([line, count]) =>
    line.endsWith('/') ? `${line} (${count} file${count === 1 ? '' : 's'})` : line,
  );
}

/** Counts, then an evenly spread sample of the list. */
export function cutList(text: string, max: number): string {
  if (text.length <= max) return text;
  const paths = text.split('\n');
  const head = [
    `${paths.length} entries, which is too many to show. Narrow the list with path, glob or depth.`,
    `By extension: ${countExtensions(paths)}`,
    `By folder: ${countFolders(paths)}`,
    'A sample:',
  ].join('\n');
  return headOf([head, ...sample(paths, max - head.length - 1)].join('\n'), max);
}
