import { z } from 'zod';
import { defineBuiltinTool } from '../builtin-tool.ts';
import { git, toGitError } from './git.ts';

export const gitLog = defineBuiltinTool({
  name: 'git_log',
  description: 'Show the latest commits, one line each.',
  input: z.object({
    limit: z.number().min(1).max(1_000).optional().describe('default 20'),
    path: z.string().optional(),
  }),
  deferred: true,
  effects: ['read'],
  resume: 'repeat',
  example: { input: {}, output: 'HEAD -> main' },
  async prepare({ path = '.' }, { workspace }) {
    const { absolute, relative } = await workspace.resolve(path);
    return { title: `git log ${relative}`.trimEnd(), access: [{ kind: 'fs', path: absolute, right: 'r' }] };
  },
  async run({ limit = 20, path = '.' }, context) {
    const { relative } = await context.workspace.resolve(path);
    const result = await git(context, [
      'log',
      '--no-color',
      '--no-show-signature',
      `--max-count=${Math.floor(limit)}`,
      '--format=%h %as %an: %s%d',
      // Without a path, commits that change nothing in the workspace are included.
      ...(relative === '' ? [] : ['--', relative]),
    ]);
    if (result.exitCode !== 0 && /does not have any commits/.test(result.stderr)) return { text: 'No commits yet.' };
    if (result.exitCode !== 0) throw toGitError(result);
    return { text: result.stdout === '' ? 'No commits.' : result.stdout.trimEnd() };
  },
});
