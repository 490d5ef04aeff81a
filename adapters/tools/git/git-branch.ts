import { z } from 'zod';
import { quoteShellWord } from '@klaus/core/protocol';
import { defineBuiltinTool } from '../builtin-tool.ts';
import { toolFailed } from '../tool-failed.ts';
import { checkRevision, runGit, toGitError } from './git.ts';
import { findOwnRepository, findRepository } from './repository.ts';

const MAX_LISTED = 100;

const input = z.object({
  action: z.enum(['list', 'create', 'switch', 'delete']),
  name: z.string().optional(),
  from: z.string().optional().describe('start of a new branch'),
});
type Input = z.infer<typeof input>;

export const gitBranch = defineBuiltinTool({
  name: 'git_branch',
  description: 'List, create (and switch to), switch or delete branches. Refuses to lose work.',
  input,
  deferred: true,
  // A switch runs the filters of the repository's configuration.
  effects: ['execute', 'write'],
  resume: 'tell',
  example: { input: { action: 'create', name: 'topic' }, output: "'topic'" },
  // A layer would keep the files, but not the branch.
  inPlace: true,
  async prepare(options, context) {
    const command = ['git', ...toWords(options)].map(quoteShellWord).join(' ');
    await (options.action === 'list' ? findRepository(context) : findOwnRepository(context));
    return {
      title: `git branch: ${options.action} ${options.name ?? ''}`.trimEnd(),
      access: [
        { kind: 'exec', command },
        { kind: 'fs', path: context.workspace.root, right: 'r' },
      ],
      command,
    };
  },
  async run(options, context) {
    const { action } = options;
    const repository = await (action === 'list' ? findRepository(context) : findOwnRepository(context));
    // A new branch at HEAD keeps its commits; every other switch leaves them.
    const leaves = action === 'switch' || (action === 'create' && options.from !== undefined);
    const words = ['git', leaves ? 'leave' : 'stay', ...toWords(options)];
    const result = await runGit(context, ['/bin/sh', '-c', GUARDED, ...words], { repository });
    if (result.exitCode !== 0) throw toGitError(result);
    const lines = (result.stdout + result.stderr).trimEnd().split('\n');
    if (action !== 'list') return { text: lines.join('\n') };
    const shown = lines.slice(0, MAX_LISTED);
    if (lines.length > MAX_LISTED) shown.push(`[… ${lines.length - MAX_LISTED} more …]`);
    return { text: shown.join('\n').trim() === '' ? 'No branches yet.' : shown.join('\n') };
  },
});

/** Refuses to leave a detached HEAD whose commits no branch or tag contains. */
const GUARDED = `
action=$1
shift
if [ "$action" = leave ] && ! git symbolic-ref -q HEAD >/dev/null && git rev-parse -q --verify HEAD >/dev/null &&
  [ -z "$(git for-each-ref --contains HEAD --count=1 refs/heads refs/remotes refs/tags)" ]; then
  echo 'HEAD is detached, and its commits would be lost. Create a branch first.' >&2
  exit 1
fi
exec git --no-pager "$@"
`;

/** @throws KlausError `tool.failed` for a missing or invalid name. */
function toWords({ action, name, from }: Input): string[] {
  if (action === 'list') return ['branch', '--list', '--all', '--no-color', '--sort=-committerdate', '-vv'];
  if (name === undefined) throw toolFailed(`${action} needs the name of a branch.`);
  checkRevision(name);
  switch (action) {
    case 'create':
      return ['switch', '--no-overwrite-ignore', '-c', name, ...(from === undefined ? [] : [checkRevision(from)])];
    case 'switch':
      return ['switch', '--no-overwrite-ignore', name];
    case 'delete':
      return ['branch', '-d', name];
  }
}
