import type { Advance, EventOf } from '@klaus/sdk';
import { toLine } from '@klaus/sdk/printable';
import { describeChain, describeUninstalled, findModelFix } from '@klaus/sdk/transcript';
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
export function printNextSteps(output: Output, options: NextStepsOptions): void {
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
    const fix = facts.failure && findModelFix(facts.failure, COMMANDS);
    if (fix !== undefined) output.note(at === '' ? fix : `On the server: ${fix}`);
  }
  if (facts.fetch !== undefined) output.note(describeUninstalled());
  if (options.showCommand) output.note(`Session ${session}: continue with ${toCommand(finished, options)}`);
}

const COMMANDS = {
  login: 'klaus login',
  doctor: 'klaus doctor',
  model: '--model',
  config: 'klaus config',
  retry: 'With `--wait-for-model 2h`, Klaus retries until the model is available again.',
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
