import { headOf } from '@klaus/core/cut-text';
import { z } from 'zod';
import { type KlausError, quoteShellWord } from '@klaus/core/protocol';
import type { ToolContext } from '@klaus/core/agent';
import { defineBuiltinTool } from '../builtin-tool.ts';
import { toolFailed } from '../tool-failed.ts';
import {
  checkMessage,
  commitStaged,
  describePaths,
  LEFT_OUT,
  NEW_FILES,
  toPaths,
  toSubject,
} from './commits/commit-staged.ts';
import { describeSecrets } from './describe-secrets.ts';
import { findOwnRepository } from './repository.ts';
import { findStagedSecrets } from './staged-secrets.ts';
import { stageTree, type CommitSource, type StagedTree } from './staging.ts';

const input = z.object({
  message: z.string(),
  paths: z.array(z.string()).optional().describe('commit only these'),
  all: z.boolean().optional().describe('all changes of tracked files'),
  amend: z.boolean().optional(),
});
type Input = z.infer<typeof input>;

/** Commits to the current branch. The tree that is checked for secrets is the tree that is committed. */
export const gitCommit = defineBuiltinTool({
  name: 'git_commit',
  description: 'Commit what is staged, or paths, or all. Runs the hooks; refuses secrets.',
  input,
  // Git runs hooks, and the filters of the repository's configuration.
  effects: ['execute', 'write'],
  resume: 'tell',
  example: {
    before: [{ name: 'write_file', input: { path: 'a.txt', content: 'x' } }],
    input: { message: 'Add a', paths: ['a.txt'] },
    output: /^\[main [0-9a-f]+\] Add a\n a\.txt \| 1 \+/,
  },
  // A layer would keep the files, but not the commit.
  inPlace: true,
  async prepare(options, context) {
    const source = await toSource(options, context);
    const command = toCommand(options, source);
    await findOwnRepository(context);
    const what =
      source.kind === 'paths' ? source.paths.join(', ') : source.kind === 'all' ? 'all changes' : 'what is staged';
    return {
      title: `git commit${options.amend ? ' --amend' : ''}: ${toSubject(options.message)} (${headOf(what, 200)})`,
      access: [
        { kind: 'exec', command },
        { kind: 'fs', path: context.workspace.root, right: 'r' },
      ],
      command,
    };
  },
  async run(options, context) {
    const repository = await findOwnRepository(context);
    const source = await toSource(options, context);
    const amend = options.amend ?? false;
    const staged = await stageTree(context, { repository, source, amend });
    if (amend && staged.head === '') throw toolFailed('There is no commit yet to amend.');
    if (!amend && staged.changes === 0 && !staged.merging) throw nothingToCommit(source, staged);
    const secrets = await findStagedSecrets(context, { repository, files: staged.files });
    if (secrets.length > 0) return describeSecrets('Not committed: it contains what looks like secrets.', secrets);
    return commitStaged(context, { repository, source, staged, amend, message: options.message.trim() });
  },
});

/** @throws KlausError `tool.failed` for an invalid message or path, `workspace.outside`. */
async function toSource({ message, paths, all }: Input, context: ToolContext): Promise<CommitSource> {
  checkMessage(message);
  if (paths === undefined || paths.length === 0) return { kind: all ? 'all' : 'staged' };
  if (all) throw toolFailed('Use either paths or all, not both.');
  return toPaths(paths, context);
}

/** The equivalent Git command, for users and the gate. */
function toCommand({ message, amend }: Input, source: CommitSource): string {
  const words = ['git commit', amend ? ' --amend' : '', ` -m ${quoteShellWord(message.trim())}`];
  if (source.kind === 'paths') words.push(` -- ${source.paths.map(quoteShellWord).join(' ')}`);
  return `${source.kind === 'all' ? 'git add -u && ' : ''}${words.join('')}`;
}

function nothingToCommit(source: CommitSource, { leftOut, untracked }: StagedTree): KlausError {
  const [rest] = untracked.length > 0 ? describePaths(NEW_FILES, untracked) : describePaths(LEFT_OUT, leftOut);
  if (rest !== undefined) return toolFailed(`There is nothing else to commit. ${rest}`);
  if (source.kind !== 'staged') return toolFailed('There is nothing to commit.');
  return toolFailed('Nothing is staged.', { hint: 'Use paths, or all: true.' });
}
