import { z } from 'zod';
import type { Chain } from '../chain/chain.ts';
import { check } from '../chain/check.ts';
import { commit } from '../chain/commit.ts';
import { confirm } from '../chain/confirm.ts';
import { push } from '../chain/push.ts';
import { validateIntent } from '../chain/validate-intent.ts';
import {
  checkResultSchema,
  commitResultSchema,
  confirmResultSchema,
  intentResultSchema,
  pushResultSchema,
  type Stage,
} from '../chain/result.ts';

/** What a tool does to the world, for the client's own questions. */
interface Hints {
  title: string;
  readOnlyHint: boolean;
  destructiveHint: boolean;
  idempotentHint: boolean;
  openWorldHint: boolean;
}

export interface ChainTool<Input extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly stage: Stage;
  readonly description: string;
  readonly input: Input;
  readonly output: z.ZodObject;
  readonly annotations: Hints;
  run(chain: Chain, input: z.output<Input>): Promise<{ ok: boolean; message: string }>;
}

function defineChainTool<Input extends z.ZodObject>(tool: ChainTool<Input>): ChainTool {
  return tool as unknown as ChainTool;
}

const workingDir = z
  .string()
  .min(1)
  .describe('The folder of the repository: absolute, or relative to the first folder of this server.');
const paths = z
  .array(z.string().min(1))
  .min(1)
  .optional()
  .describe('Only these files or folders, relative to working_dir. Default: all changes that are not ignored.');

/** Tools that work in one folder. */
export const CHAIN_TOOLS: readonly ChainTool[] = [
  defineChainTool({
    name: 'check',
    stage: 'check',
    description:
      'Run the linter, the type check and `make check` of a project, as far as it has them, in a sandbox without a network. Returns the lines that report problems.',
    input: z.object({ working_dir: workingDir }),
    output: checkResultSchema,
    annotations: {
      title: 'Check',
      readOnlyHint: false,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    },
    run: (chain) => check(chain),
  }),
  defineChainTool({
    name: 'confirm',
    stage: 'confirm',
    description:
      'Run `check`, then let a reviewer that can only read files judge the uncommitted changes. Returns a verdict with findings by file and line. Commits nothing.',
    input: z.object({ working_dir: workingDir, paths }),
    output: confirmResultSchema,
    annotations: {
      title: 'Confirm',
      readOnlyHint: false,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: true,
    },
    run: (chain, input) => confirm(chain, input),
  }),
  defineChainTool({
    name: 'commit',
    stage: 'commit',
    description:
      'Commit the changes after `confirm` and `check` have passed, with a message in the style of the repository. A failure names its stage, and nothing is committed then. Refuses secrets.',
    input: z.object({
      working_dir: workingDir,
      paths,
      message: z.string().min(1).max(20_000).optional().describe('Default: written from the difference.'),
    }),
    output: commitResultSchema,
    annotations: {
      title: 'Commit',
      readOnlyHint: false,
      destructiveHint: false,
      idempotentHint: false,
      openWorldHint: true,
    },
    run: (chain, input) => commit(chain, input),
  }),
  defineChainTool({
    name: 'push',
    stage: 'push',
    description: 'Push a branch. Never overwrites commits of protected branches.',
    input: z.object({
      working_dir: workingDir,
      remote: z.string().min(1).default('origin'),
      branch: z.string().min(1).optional().describe('Default: the current branch.'),
      force: z
        .boolean()
        .default(false)
        .describe('Overwrite the remote branch, if it is not protected and still as it was last fetched.'),
    }),
    output: pushResultSchema,
    annotations: {
      title: 'Push',
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: true,
      openWorldHint: true,
    },
    run: (chain, input) => push(chain, input),
  }),
  defineChainTool({
    name: 'validate_intent',
    stage: 'intent',
    description:
      'Compare the uncommitted changes with the messages of the user: is something missing, or was more done than asked?',
    input: z.object({
      working_dir: workingDir,
      request: z.array(z.string().min(1)).min(1).describe("The user's own messages, unchanged, oldest first."),
    }),
    output: intentResultSchema,
    annotations: {
      title: 'Validate the intent',
      readOnlyHint: false,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: true,
    },
    run: (chain, input) => validateIntent(chain, input),
  }),
];
