import { z } from 'zod';
import { defineBuiltinTool } from '../builtin-tool.ts';
import { checkRevision, git, toGitError } from './git.ts';

export const gitDiff = defineBuiltinTool({
  name: 'git_diff',
  description:
    'Show changes as a diff: of the working tree, staged ones, or since a revision. Untracked files are not included.',
  input: z.object({
    staged: z.boolean().optional(),
    path: z.string().optional(),
    ref: z.string().optional().describe('such as HEAD~1 or main...HEAD'),
  }),
  effects: ['read'],
  resume: 'repeat',
  example: {
    files: { 'a.txt': 'one\n' },
    before: [{ name: 'write_file', input: { path: 'a.txt', content: 'two\n' } }],
    input: {},
    output: '-one\n+two',
  },
  async prepare({ path = '.', ref }, { workspace }) {
    if (ref !== undefined) checkRevision(ref);
    const { absolute, relative } = await workspace.resolve(path);
    return {
      title: `git diff${ref ? ` ${ref}` : ''} ${relative}`.trimEnd(),
      access: [{ kind: 'fs', path: absolute, right: 'r' }],
    };
  },
  async run({ staged, path = '.', ref }, context) {
    const { relative } = await context.workspace.resolve(path);
    const result = await git(context, [
      'diff',
      '--no-ext-diff',
      '--no-textconv',
      '--no-color',
      '--ignore-submodules=dirty',
      '--relative',
      ...(staged ? ['--cached'] : []),
      ...(ref === undefined ? [] : [checkRevision(ref)]),
      '--',
      relative || '.',
    ]);
    if (result.exitCode !== 0) throw toGitError(result);
    return { text: result.stdout === '' ? 'No differences.' : result.stdout };
  },
});
