import { z } from 'zod';
import { checkpointSchema } from '../authority/mode.ts';
import { additional, capAtMost, confirmed, only, tierOnly } from './narrowing.ts';
import { defineSetting } from './setting.ts';

// Without the characters that git rejects in an identity.
const identity = z.string().regex(/^[^<>\n\0]+$/);
// A glob below the workspace.
const relativeGlob = z.string().regex(/^(?![!/~])(?!(?:.*\/)?\.\.(?:\/|$))[^\0\n]+$/);

/** Settings of the repository in which a session works: its secret files and its commits. */
export const REPOSITORY_SETTINGS = {
  'secrets.files': defineSetting({
    schema: z.array(relativeGlob),
    default: [] as string[],
    env: 'KLAUS_SECRETS_FILES',
    values:
      'globs relative to the workspace: `*` within a name, `**` across folders, `?` one character; without a slash they match in every folder; in a variable separated by commas',
    description:
      'Files with secrets, in addition to those that are known by their names, such as `.env` and `*.key`. Commands cannot read them, and their values are redacted in the input of the model.',
    project: additional,
  }),
  checkpoint: defineSetting({
    schema: checkpointSchema,
    default: 'auto',
    env: 'KLAUS_CHECKPOINT',
    description: 'Whether a run that changed files ends with a commit to a private ref.',
    project: only('auto'),
  }),
  'worktree.setup': defineSetting({
    schema: z.string(),
    default: '',
    env: 'KLAUS_WORKTREE_SETUP',
    values: 'a shell command; empty for none',
    description:
      'Command that prepares a new working copy, such as `npm ci --offline`. It runs in the sandbox, through the gate, before the first prompt. One of a project file runs only with `--trust-command`.',
    project: confirmed,
  }),
  'worktree.copy': defineSetting({
    schema: z.array(relativeGlob),
    default: ['.env', '.env.*'] as string[],
    env: 'KLAUS_WORKTREE_COPY',
    values: 'globs as in `secrets.files`; in a variable separated by commas',
    description:
      'Ignored files of the repository that a new working copy gets. Secret files stay hidden from its commands.',
    project: additional,
  }),
  'git.protectedBranches': defineSetting({
    schema: z.array(z.string().regex(/^[\w.*?/-]+$/)),
    default: ['main', 'master', 'release/*'] as string[],
    env: 'KLAUS_PROTECTED_BRANCHES',
    values: 'names or globs; in a variable separated by commas',
    description: 'Branches whose commits on a remote `klaus mcp` never overwrites.',
  }),
  'verification.model': defineSetting({
    schema: z.string().min(1),
    default: 'opus',
    env: 'KLAUS_VERIFICATION_MODEL',
    description: 'The model that reviews changes before `klaus mcp` commits them.',
    project: tierOnly,
  }),
  'verification.usd': defineSetting({
    schema: z.number().nonnegative(),
    default: 2,
    env: 'KLAUS_VERIFICATION_USD',
    description: 'The most that one review may cost, in US dollars. 0: no limit of its own.',
    project: capAtMost,
  }),
  'git.sign': defineSetting({
    schema: z.boolean(),
    default: false,
    env: 'KLAUS_GIT_SIGN',
    description:
      'Commits are signed where `commit.gpgSign` is set, outside of the sandbox: by the program and with the key of your own Git configuration, never those of a repository.',
  }),
  'git.userName': defineSetting({
    schema: identity,
    env: 'GIT_USER_NAME',
    unset: 'that of the repository',
    values: 'text without < and >',
    description: 'Name of the author of commits in a repository without an identity.',
  }),
  'git.userEmail': defineSetting({
    schema: identity,
    env: 'GIT_USER_EMAIL',
    unset: 'that of the repository',
    values: 'text without < and >',
    description: 'Email address of the author of commits in a repository without an identity.',
  }),
} as const;
