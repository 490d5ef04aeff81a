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
    const fix = facts.failure && findModelFix(facts.failure);
    if (fix !== undefined) output.note(at === '' ? fix : `On the server: ${fix}`);
    const { isOutage } = await import('@klaus/sdk');
    if (facts.failure && isOutage(facts.failure.code))
      output.note('With `--wait-for-model 2h`, Klaus retries until the model is available again.');
  }
  if (options.showCommand) output.note(`Session ${session}: continue with ${toCommand(finished, options)}`);
}

type Failure = NonNullable<RunFacts['failure']>;

/** What the user can do about a model that failed, other than to wait. Undefined: the server has said it, or no cause is known. */
function findModelFix({ code, status, cause }: Failure): string | undefined {
  if (cause !== undefined) return CAUSE_FIXES[cause];
  if (code === 'auth' && status === 403) return NOT_PERMITTED;
  return CODE_FIXES[code];
}

const NOT_PERMITTED =
  'The provider does not permit this request with this key. `klaus doctor` shows which key is set. Or choose another `--model`.';

const CODE_FIXES: Partial<Readonly<Record<Failure['code'], string>>> = {
  auth: 'The provider does not accept the key. `klaus doctor` shows which key is set. `klaus login` stores another one. Or choose another `--model`.',
  context_window: 'Start a new session, or continue with a `--model` that has a larger context window.',
  connection: '`klaus doctor` checks whether the address of the model can be reached.',
  malformed: 'The answer is not that of a model. `klaus config` shows the address.',
};

const CAUSE_FIXES: Partial<Readonly<Record<NonNullable<Failure['cause']>, string>>> = {
  unknown_model: 'The provider does not have this model, or not for this account. Choose another `--model`.',
  no_credit: 'The account has no credit, or its quota is used up. Check the account, or choose another `--model`.',
  blocked:
    'The answer is a page of a firewall or a proxy, not of the model. `klaus config` shows the address and the proxy.',
  wrong_address:
    'The server does not have this path. `klaus config` shows the address: some servers need `/v1` at its end.',
  output_limit: 'Set `maxOutputTokens` to what the server allows.',
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
