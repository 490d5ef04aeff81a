import type { Advance, EventOf } from '@klaus/sdk';
import { toLine } from '@klaus/sdk/printable';
import { describeChain } from '@klaus/sdk/transcript';
import type { Output } from '../output/output.ts';
import type { RunFacts } from './run-facts.ts';

export interface NextStepsOptions {
  result: Advance;
  session: string;
  facts: RunFacts;
  /** True if a prompt was sent to an existing session. */
  isPrompt: boolean;
  /** What commands need to reach the session, such as ` --server https://…`. */
  at: string;
  /** False: leave out the command that continues the session. */
  showCommand: boolean;
}

/** Prints how the user can continue after a run. */
export async function printNextSteps(output: Output, options: NextStepsOptions): Promise<void> {
  const { result, session, facts, at } = options;
  if (result.state === 'parked') {
    for (const { approval, title, chain } of result.approvals) {
      const who = chain ? ` (${describeChain(chain)})` : '';
      output.note(`Waiting for approval: ${toLine(title, 200)}${who}`, 'warn');
      output.note(`klaus approve ${approval}${at}, or klaus reject ${approval}${at}`);
    }
    if (options.isPrompt) output.note('The message waits until the approval is answered.');
    return;
  }
  const finished = result.state === 'idle' ? result.finished : undefined;
  if (finished === undefined) return;
  if (finished.outcome === 'denied' && facts.denial === 'unanswered') {
    // No mode allows a call that the widest one asks about.
    const wider = facts.mode === 'auto' ? '' : '`--approve edits` or `--approve auto` allows more. ';
    output.note(`No user could answer the approval. ${wider}\`--on-ask wait\` keeps it open.`);
  }
  if (finished.outcome === 'model_failed') {
    const failure = facts.failure ?? 'cancelled';
    const fix = MODEL_FIXES[failure];
    if (fix !== undefined) output.note(at === '' ? fix : `On the server: ${fix}`);
    const { isOutage } = await import('@klaus/sdk');
    if (isOutage(failure)) output.note('With `--wait-for-model 2h`, Klaus retries until the model is available again.');
  }
  if (options.showCommand) output.note(`Session ${session}: continue with ${toCommand(finished, options)}`);
}

/** What the user can do about a model that failed, other than to wait. */
const MODEL_FIXES: Readonly<Record<string, string>> = {
  auth: 'The provider does not accept the key. `klaus doctor` shows which key is set. `klaus login` stores another one. Or choose another `--model`.',
  invalid_request:
    'The provider refuses the request. The usual causes are an unknown model id or an account without credit. Choose another `--model`, or check the account.',
  context_window: 'Start a new session, or continue with a `--model` that has a larger context window.',
  connection: '`klaus doctor` checks whether the address of the model can be reached.',
  malformed: 'The answer is not that of a model. `klaus config` shows the address.',
};

const LIMIT_OPTIONS = {
  tokens: '--budget-tokens',
  usd: '--budget-usd',
  toolCalls: '--max-tool-calls',
  turns: '--max-turns',
  minutes: '--max-minutes',
} as const;

function toCommand({ outcome, limit }: EventOf<'run.finished'>, { session, facts, at }: NextStepsOptions): string {
  switch (outcome) {
    case 'done':
      return `klaus --session ${session}${at} "what next"`;
    case 'limit': {
      const raise = limit === undefined ? 'and a higher limit' : `${LIMIT_OPTIONS[limit.limit]} ${limit.offer}`;
      return `klaus resume ${session}${at} ${raise}`;
    }
    case 'denied':
      // The same mode would deny the same call again.
      if (facts.denial === 'mode') return `klaus --session ${session}${at} --approve auto "continue"`;
      return `klaus resume ${session}${at}${facts.denial === 'unanswered' ? ' --on-ask wait' : ''}`;
    case 'failed':
    case 'model_failed':
    case 'cancelled':
      return `klaus resume ${session}${at}`;
  }
}
