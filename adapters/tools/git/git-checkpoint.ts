import { z } from 'zod';
import { defineBuiltinTool } from '../builtin-tool.ts';
import { checkWord } from '../shell/quote.ts';
import { checkpoint } from './checkpoint.ts';
import { describeSecrets } from './describe-secrets.ts';
import { findRepository } from './repository.ts';

const REFUSAL = 'No checkpoint was created: the workspace contains what looks like secrets.';

export const gitCheckpoint = defineBuiltinTool({
  name: 'git_checkpoint',
  description:
    'Save the workspace as a commit on a private ref. Index, HEAD and branches do not change. Each run that changed files ends with a checkpoint.',
  input: z.object({ message: z.string().optional() }),
  deferred: true,
  effects: ['write'],
  // The same state is not committed twice, so that a repetition is harmless.
  resume: 'repeat',
  example: {
    before: [{ name: 'write_file', input: { path: 'a.txt', content: 'x' } }],
    input: { message: 'Before the rewrite' },
    output: 'on refs/klaus/checkpoints/',
  },
  async prepare({ message = '' }, { workspace }) {
    checkWord('message', message);
    return { title: 'git checkpoint', access: [{ kind: 'fs', path: workspace.root, right: 'r' }] };
  },
  async run({ message = 'Checkpoint' }, context) {
    await findRepository(context);
    const result = await checkpoint(context, message, { onSecret: 'block' });
    if ('secrets' in result) return describeSecrets(REFUSAL, result.secrets);
    if ('skipped' in result) return { text: result.skipped };
    const { commit, ref, files, leftOut, large } = result;
    const lines = [`Commit ${commit} on ${ref}; ${files} file${files === 1 ? '' : 's'} differ from HEAD.`];
    if (leftOut.length > 0) lines.push(`Left out, because they are secret files: ${leftOut.join(', ')}.`);
    if (large) lines.push(`Left out, because they are large or binary: ${large.join(', ')}.`);
    return { text: lines.join('\n'), detail: { ...result } };
  },
});
