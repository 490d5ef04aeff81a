import { headOf } from '@klaus/core/cut-text';
import { z } from 'zod';
import { defineTool } from '@klaus/core/agent';
import type { ToolContext } from '@klaus/core/agent';
import { describePaths, LEFT_OUT, toPaths } from './commits/commit-staged.ts';
import { describeSecrets } from './describe-secrets.ts';
import { runGit, toGitError } from './git.ts';
import { findOwnRepository, type Repository } from './repository.ts';
import { findStagedSecrets } from './staged-secrets.ts';
import { toShownDiff } from './staged/shown-diff.ts';
import { findStagedWeakenings } from './staged/staged-weakenings.ts';
import { stageTree } from './staging.ts';
import { findUnequalFiles } from './staged/unequal-files.ts';

/** Bytes of a difference that are shown to a reviewer. Larger changes are refused. */
const MAX_DIFF = 600_000;
/** Characters of recent messages. */
const MAX_LOG = 12_000;

/** What a commit would contain: the `detail` of {@link stageChanges}. */
export interface StagedChanges {
  /** Object id of the tree. */
  tree: string;
  /** Object id of HEAD; '' before the first commit. */
  head: string;
  /** Name of the branch; '' for a detached HEAD. */
  branch: string;
  /** Changed files, deleted ones included, relative to the top of the working tree. */
  files: string[];
  /** Unified diff from HEAD to the tree, with the content of all files, and visible signs for characters that are not. */
  diff: string;
  /** True if the diff is cut. */
  cut: boolean;
  /** Files and folders (with a final slash) that Git ignores, relative to the top of the working tree. */
  ignored: string[];
  /** Changed submodules, whose content the diff does not have. */
  submodules: string[];
  /** Files whose content is not that of the tree, though Git may call them unchanged. */
  unequal: string[];
  /** How the change weakens the checks, as sentences without their full stop. */
  weakened: string[];
  /** Messages of the newest commits, the newest first. */
  log: string[];
  /** Other changes of the working tree, which the commit would not contain. */
  others: string[];
}

const DESCRIBE = `
set -eu
from=$KLAUS_HEAD
if [ -z "$from" ]; then from=$(git hash-object -t tree /dev/null); fi
printf '%s\\0' "$(git symbolic-ref -q --short HEAD || true)"
if [ -n "$KLAUS_HEAD" ]; then git log -n 20 --no-merges --format=%x01%B "$KLAUS_HEAD"; fi
printf '\\0'
git diff-tree -r -z --name-only --no-renames "$from" "$KLAUS_TREE"
printf '\\0'
git diff-tree -r -z --name-only --no-renames "$KLAUS_TREE" "$KLAUS_ALL"
printf '\\0'
git ls-files -z --others --ignored --exclude-standard --directory
printf '\\0'
git diff-tree -r -p --text --full-index --no-renames --no-color --no-ext-diff --no-textconv --no-relative --submodule=short \\
  --ignore-submodules=none --src-prefix=a/ --dst-prefix=b/ -U3 -O/dev/null "$from" "$KLAUS_TREE" | head -c ${MAX_DIFF + 1} | base64
`;

/**
 * Prepares a commit without making it: the tree with the changes of the working tree, after the pre-commit hook, scanned
 * for secrets. For callers that review it before `commit_changes`; no model calls it.
 */
export const stageChanges = defineTool({
  name: 'stage_changes',
  description: 'Prepare a commit of paths, or of all changes, without making it.',
  input: z.object({
    paths: z.array(z.string()).optional().describe('Default: all changes that are not ignored.'),
    hooks: z.boolean().describe('Run the pre-commit hook, which may change what is committed.'),
    checks: z.array(z.string()).optional().describe('Commands of checks that must not be weakened.'),
  }),
  effects: ['execute', 'write'],
  resume: 'tell',
  inPlace: true,
  async prepare({ paths }, context) {
    await findOwnRepository(context);
    return {
      title: `prepare a commit of ${headOf(paths?.join(', ') ?? 'all changes', 200)}`,
      access: [
        { kind: 'exec', command: 'git add -A' },
        { kind: 'fs', path: context.workspace.root, right: 'r' },
      ],
      command: 'git add -A',
    };
  },
  async run({ paths, hooks, checks: commands = [] }, context) {
    const repository = await findOwnRepository(context);
    const source = await toPaths(paths ?? ['.'], context);
    const staged = await stageTree(context, { repository, source, amend: false, hooks });
    const { tree, head } = staged;
    const all = paths === undefined ? tree : await stageEverything(context, repository);
    const described = await describe(context, { repository, tree, head, all });
    const unequal = await findUnequalFiles(context, { repository, tree });
    const weakened = await findStagedWeakenings(context, { repository, staged, commands });
    const changes: StagedChanges = { ...described, unequal, weakened };
    const secrets = await findStagedSecrets(context, { repository, files: staged.files });
    if (secrets.length > 0) {
      const refused = describeSecrets('The changes contain what looks like secrets.', secrets);
      return { ...refused, detail: { ...changes, ...(refused.detail as object) } };
    }
    const text = [`${changes.files.length} changed files, tree ${tree}`, ...describePaths(LEFT_OUT, staged.leftOut)];
    return { text: text.join('\n'), detail: changes };
  },
});

async function stageEverything(context: ToolContext, repository: Repository): Promise<string> {
  const source = await toPaths(['.'], context);
  return (await stageTree(context, { repository, source, amend: false, hooks: false })).tree;
}

async function describe(
  context: ToolContext,
  { repository, tree, head, all }: { repository: Repository; tree: string; head: string; all: string },
): Promise<Omit<StagedChanges, 'unequal' | 'weakened'>> {
  const result = await runGit(context, ['/bin/sh', '-c', DESCRIBE], {
    repository,
    env: { KLAUS_TREE: tree, KLAUS_HEAD: head, KLAUS_ALL: all },
  });
  if (result.exitCode !== 0) throw toGitError(result);
  const fields = result.stdout.split('\0');
  const take = (): string[] => fields.splice(0, fields.indexOf('') + 1).slice(0, -1);
  const branch = fields.shift() ?? '';
  const log = (fields.shift() ?? '').split('\u0001').map((message) => message.trim());
  const files = take();
  const others = take();
  const ignored = take();
  const bytes = Buffer.from(fields.join(''), 'base64');
  const { text: diff, submodules } = toShownDiff(bytes);
  let room = MAX_LOG;
  return {
    tree,
    head,
    branch,
    files,
    diff: headOf(diff, MAX_DIFF),
    cut: bytes.length > MAX_DIFF || diff.length > MAX_DIFF || result.truncated,
    ignored,
    submodules,
    log: log.filter((message) => message !== '' && (room -= message.length) > 0),
    others,
  };
}
