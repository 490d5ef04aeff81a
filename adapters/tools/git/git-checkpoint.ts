import { z } from 'zod';
import { defineBuiltinTool } from '../builtin-tool.ts';
import { checkWord } from '../shell/quote.ts';
import { checkpoint } from './checkpoint.ts';
import { describeSecrets } from './describe-secrets.ts';
import { findRepository } from './repository.ts';

/** Commits the state of the workspace to a private ref. */
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
    if ('secrets' in result)
      return describeSecrets(
        'No checkpoint was created: the workspace contains what looks like secrets.',
        result.secrets,
      );
    if ('skipped' in result) return { text: result.skipped };
    const lines = [
      `Commit ${result.commit} on ${result.ref}; ${result.files} file${result.files === 1 ? '' : 's'} differ from HEAD.`,
    ];
    if (result.leftOut.length > 0) lines.push(`Left out, because they are secret files: ${result.leftOut.join(', ')}.`);
    if (result.large) lines.push(`Left out, because they are large or binary: ${result.large.join(', ')}.`);
    return { text: lines.join('\n'), detail: { ...result } };
  },
});
