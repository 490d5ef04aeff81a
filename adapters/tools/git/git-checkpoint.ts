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
    'Save the workspace as a commit on a private ref. Index, HEAD and branches stay as they are. Each run that changed files ends with one anyway.',
  input: z.object({ message: z.string().optional() }),
  deferred: true,
  effects: ['write'],
  // A second commit of the same state is not made, so repeating does no harm.
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
    const made = await checkpoint(context, message, { onSecret: 'block' });
    if ('secrets' in made)
      return describeSecrets('No checkpoint was made: the workspace holds what looks like secrets.', made.secrets);
    if ('skipped' in made) return { text: made.skipped };
    const lines = [
      `Commit ${made.commit} on ${made.ref}; ${made.files} file${made.files === 1 ? '' : 's'} differ from HEAD.`,
    ];
    if (made.leftOut.length > 0) lines.push(`Left out, because they are secret files: ${made.leftOut.join(', ')}.`);
    if (made.large) lines.push(`Left out, because they are large or binary: ${made.large.join(', ')}.`);
    return { text: lines.join('\n'), detail: { ...made } };
  },
});
