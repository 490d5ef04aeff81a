import { z } from 'zod';
import { defineTool } from '@klaus/core/agent';
import { quoteShellWord } from '@klaus/core/protocol';
import { toolFailed } from '../../tool-failed.ts';
import { checkMessage, commitStaged, toPaths, toSubject } from './commit-staged.ts';
import { describeSecrets } from '../describe-secrets.ts';
import { findOwnRepository } from '../repository.ts';
import { findStagedSecrets } from '../staged-secrets.ts';
import { stageTree } from '../staging.ts';

/**
 * Commits exactly the tree that `stage_changes` returned and that was reviewed: a working tree that has changed since is
 * refused. No model calls it.
 */
export const commitChanges = defineTool({
  name: 'commit_changes',
  description: 'Commit the tree that stage_changes returned, if the working tree still has it.',
  input: z.object({
    message: z.string(),
    paths: z.array(z.string()).optional(),
    tree: z.string(),
    head: z.string(),
  }),
  effects: ['execute', 'write'],
  resume: 'tell',
  inPlace: true,
  async prepare({ message }, context) {
    checkMessage(message);
    await findOwnRepository(context);
    const command = `git commit -m ${quoteShellWord(message.trim())}`;
    return {
      title: `git commit: ${toSubject(message)}`,
      access: [
        { kind: 'exec', command },
        { kind: 'fs', path: context.workspace.root, right: 'r' },
      ],
      command,
    };
  },
  async run({ message, paths, tree, head }, context) {
    const repository = await findOwnRepository(context);
    const source = await toPaths(paths ?? ['.'], context);
    const staged = await stageTree(context, { repository, source, amend: false, hooks: false });
    if (staged.head !== head) throw changed('Another process moved HEAD during the verification.');
    if (staged.tree !== tree) throw changed('Files changed during the verification.');
    const secrets = await findStagedSecrets(context, { repository, files: staged.files });
    if (secrets.length > 0) return describeSecrets('Not committed: it contains what looks like secrets.', secrets);
    return commitStaged(context, { repository, source, staged, amend: false, message: message.trim() });
  },
});

function changed(problem: string) {
  return toolFailed(`${problem} Nothing was committed.`, { hint: 'Verify the changes again.' });
}
