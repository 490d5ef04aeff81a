import { z } from 'zod';
import { checkpointSchema } from '../authority/mode.ts';
import { additional, only } from './narrowing.ts';
import { defineSetting } from './setting.ts';

// What git refuses in an identity.
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
      'globs relative to the workspace: `*` within a name, `**` over folders, `?` one character; without a slash they fit in every folder; in a variable separated by commas',
    description:
      'Files that hold secrets, besides those known by their name such as `.env` and `*.key`: commands cannot read them, and their values are taken out of what the model reads.',
    project: additional,
  }),
  checkpoint: defineSetting({
    schema: checkpointSchema,
    default: 'auto',
    env: 'KLAUS_CHECKPOINT',
    description: 'Whether a run that changed files ends with a commit to a private ref.',
    project: only('auto'),
  }),
  'git.userName': defineSetting({
    schema: identity,
    env: 'GIT_USER_NAME',
    unset: "the repository's own",
    values: 'text without < and >',
    description: 'Name that signs commits where the repository has no identity.',
    project: 'never',
  }),
  'git.userEmail': defineSetting({
    schema: identity,
    env: 'GIT_USER_EMAIL',
    unset: "the repository's own",
    values: 'text without < and >',
    description: 'Address that signs commits where the repository has no identity.',
    project: 'never',
  }),
} as const;
