import { z } from 'zod';
import { defineBuiltinTool } from '../builtin-tool.ts';
import { git, toGitError } from './git.ts';

export const gitStatus = defineBuiltinTool({
  name: 'git_status',
  description: 'Show the branch and the changed and untracked files, in the short format of git status.',
  input: z.object({}),
  effects: ['read'],
  resume: 'repeat',
  example: {
    before: [{ name: 'write_file', input: { path: 'a.txt', content: 'x' } }],
    input: {},
    output: '## main\n?? a.txt',
  },
  prepare: async (_input, { workspace }) => ({
    title: 'git status',
    access: [{ kind: 'fs', path: workspace.root, right: 'r' }],
  }),
  async run(_input, context) {
    const result = await git(context, [
      'status',
      '--porcelain',
      '--branch',
      '--untracked-files=normal',
      '--ignore-submodules=dirty',
      '--',
      '.',
    ]);
    if (result.exitCode !== 0) throw toGitError(result);
    const lines = result.stdout.trimEnd();
    return { text: lines.includes('\n') || !lines.startsWith('##') ? lines : `${lines}\nNothing changed.` };
  },
});
