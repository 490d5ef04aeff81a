import type { Event, EventOf } from '@klaus/sdk';
import { toLine } from '@klaus/sdk/printable';
import { isOutage } from '@klaus/sdk/transcript';
import type { RunResult } from '../session/run-result.ts';
import type { Output } from './output.ts';

/** What kept a denied run from going on, where the user can change that: the mode, or that nobody was asked. */
type Denial = 'unanswered' | 'mode';

/** Finds that in the events of a run. */
export interface DenialFinder {
  event(event: Event): void;
  readonly found: Denial | undefined;
}

/** @param asks True when a person at this terminal is asked. */
export function createDenialFinder(asks: boolean): DenialFinder {
  let found: Denial | undefined;
  return {
    event(event) {
      if (event.type === 'run.started') found = undefined;
      if (event.type !== 'gate.decided') return;
      if (event.verdict === 'ask' && !asks) found = 'unanswered';
      if (event.verdict === 'deny' && event.rule === 'mode') found = 'mode';
    },
    get found() {
      return found;
    },
  };
}

export interface ClosingOptions {
  driven: RunResult;
  /** Id. */
  session: string;
  output: Output;
  denial: Denial | undefined;
  /** True in the mode that allows most. */
  isWidest: boolean;
  /** What was put into the inbox: "The message". */
  handedOver?: string | undefined;
  /** False: do not say how to go on with the session. Default true. */
  next?: boolean | undefined;
  /** What commands need to find the session, such as ` --server https://…`. Default: nothing, it is here. */
  at?: string;
}

/** Says at the end of a run how to go on. */
export function sayHowToGoOn(options: ClosingOptions): void {
  const { driven, session, output, denial, at = '', next = true } = options;
  if (driven.state === 'parked') {
    for (const question of driven.approvals) {
      output.note(`Waiting for approval: ${toLine(question.title, 200)}`, 'warn');
      output.note(`klaus approve ${question.approval}${at}, or klaus reject ${question.approval}${at}`);
    }
    if (options.handedOver === 'The message') output.note('The message waits until that is answered.');
    return;
  }
  const finished = driven.state === 'idle' ? driven.finished : undefined;
  if (finished === undefined) return;
  const isUnanswered = finished.outcome === 'denied' && denial === 'unanswered';
  if (isUnanswered) {
    // What the widest mode asks about, no mode allows.
    const wider = options.isWidest ? '' : '--approve edits or --approve auto allows more, ';
    output.note(`Nobody was there to say yes. ${wider}--on-ask wait keeps the question open.`);
  }
  const mend = finished.outcome === 'model_failed' ? MODEL_FIXES[driven.failure ?? 'cancelled'] : undefined;
  if (mend !== undefined) output.note(at === '' ? mend : `At the server: ${mend}`);
  if (finished.outcome === 'model_failed' && isOutage(driven.failure ?? '')) {
    output.note('With --wait-for-model 2h Klaus keeps trying until the model is back.');
  }
  if (next) output.note(`Session ${session}: go on with ${toNextStep(finished, { session, denial, at })}`);
}

/** What the user can do about a model that failed, where waiting is not all. */
const MODEL_FIXES: Readonly<Partial<Record<string, string>>> = {
  auth: 'The provider does not accept the key. klaus doctor says which one is set; set another, or choose another --model.',
  invalid_request:
    'The provider refuses the request itself: mostly a model id that it does not know, or an account without credit. Choose another --model, or look at the account.',
  context_window: 'Begin a new session, or go on with a --model that has a larger context window.',
  connection: 'klaus doctor says whether the address of the model can be reached from here.',
  malformed: 'What answers may be no model: klaus config shows the address.',
};

const LIMIT_OPTIONS = {
  tokens: '--budget-tokens',
  usd: '--budget-usd',
  toolCalls: '--max-tool-calls',
  turns: '--max-turns',
} as const;

/** The option that lets the run go on beyond the limit that ended it. */
function toRaise({ limit }: EventOf<'run.finished'>): string {
  return limit === undefined ? ' and a higher limit' : ` ${LIMIT_OPTIONS[limit.limit]} ${limit.offer}`;
}

function toNextStep(
  finished: EventOf<'run.finished'>,
  { session, denial, at }: { session: string; denial: Denial | undefined; at: string },
): string {
  switch (finished.outcome) {
    case 'done':
      return `klaus --session ${session}${at} "what next"`;
    case 'limit':
      return `klaus resume ${session}${at}${toRaise(finished)}`;
    case 'denied':
      // The same mode would refuse the same call again.
      if (denial === 'mode') return `klaus --session ${session}${at} --approve auto "go on"`;
      return `klaus resume ${session}${at}${denial === 'unanswered' ? ' --on-ask wait' : ''}`;
    case 'failed':
    case 'model_failed':
    case 'cancelled':
      return `klaus resume ${session}${at}`;
  }
}
