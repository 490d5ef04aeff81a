import type { EventOf, Klaus, Session } from '@klaus/sdk';
import { drive, type Driven } from './drive.ts';
import { EXIT } from './exit-codes.ts';
import { hasKeyboard } from './keyboard.ts';
import { createJsonOutput } from './output/json-output.ts';
import type { Output } from './output/output.ts';
import { createTextOutput } from './output/text-output.ts';
import { toLine } from '@klaus/sdk/printable';
import type { ShowOptions } from './run-options.ts';

export function createOutput(options: ShowOptions): Output {
  return options.json === true ? createJsonOutput() : createTextOutput({ plain: options.plain ?? false });
}

/** True when a person at this terminal is asked; a program that reads events is not disturbed by questions. */
export function canAsk(options: ShowOptions): boolean {
  return options.json !== true && hasKeyboard();
}

export interface WorkOptions {
  klaus: Klaus;
  session: Session;
  /** Events after this one are shown. */
  after: number;
  show: ShowOptions;
  output: Output;
  /** True when a person at this terminal answers questions. */
  asks: boolean;
  /** What was put into the inbox, where another process may have to take it: "The message". */
  handedOver?: string;
  /** False: do not say how to go on with the session. Default true. */
  next?: boolean;
}

/**
 * Works on a session, shows it, and says at the end how to go on.
 *
 * @returns The exit code.
 * @throws KlausError `store.busy` when another process holds the session and nothing was handed over.
 */
export async function workOn(options: WorkOptions): Promise<number> {
  const { klaus, session, output, show } = options;
  if (options.after > 0 && output.recall !== undefined) {
    // Only calls of the last turn can still be open.
    const begun = klaus.store.lastOf(session.id, ['turn.started']);
    for (const event of session.events(begun?.seq ?? 0)) if (event.seq <= options.after) output.recall(event);
  }
  const { isKlausError, isOutage, KlausError } = await import('@klaus/sdk');
  const driven = await drive({
    klaus,
    session,
    after: options.after,
    output,
    asks: options.asks,
    plain: show.plain ?? false,
    timeoutMs: show.timeout === undefined ? undefined : show.timeout * 1_000,
  }).catch((error: unknown) => {
    if (!isKlausError(error)) throw error;
    if (error.code === 'workspace.missing' && options.after > 0) {
      const hint = `The session works there. Put the folder back; klaus show ${session.id} prints what was done.`;
      throw new KlausError(error.code, error.message, { hint, cause: error });
    }
    if (error.code !== 'store.full') throw error;
    const hint = `${error.hint ?? ''} Then go on with klaus resume ${session.id}.`.trimStart();
    throw new KlausError(error.code, error.message, { hint, cause: error });
  });
  if (driven.state === 'busy') {
    if (options.handedOver !== undefined) {
      output.note(`${options.handedOver} waits in session ${session.id}: the process that holds it takes it.`);
      return EXIT.done;
    }
    throw new KlausError('store.busy', `Another process is working on session ${session.id}.`, {
      hint: `Speak into it with klaus steer ${session.id} "text", stop it with klaus cancel ${session.id}, or wait.`,
      retryable: true,
    });
  }
  sayHowToGoOn(driven, options, isOutage);
  sayWhatGoesOn(options);
  return driven.exitCode;
}

/** What is left running behind this program, and what ends with it. */
function sayWhatGoesOn({ klaus, session, output }: WorkOptions): void {
  for (const { id, state, survives, command } of klaus.processes(session.id)) {
    if (state !== 'running') continue;
    const name = `${session.id}/${id}`;
    output.note(
      survives
        ? `Background process ${id} goes on: ${toLine(command, 80)}. klaus logs ${name}, klaus stop ${name}`
        : `Background process ${id} ends with this run: ${toLine(command, 80)}`,
    );
  }
}

function sayHowToGoOn(driven: Driven, options: WorkOptions, isOutage: (outcome: string) => boolean): void {
  const { session, output, handedOver, next = true } = options;
  if (driven.state === 'parked') {
    for (const question of driven.approvals) {
      output.note(`Waiting for approval: ${toLine(question.title, 200)}`, 'warn');
      output.note(`klaus approve ${question.approval}, or klaus reject ${question.approval}`);
    }
    if (handedOver === 'The message') output.note('The message waits until that is answered.');
    return;
  }
  const finished = driven.state === 'idle' ? driven.finished : undefined;
  if (finished === undefined) return;
  const denial = finished.outcome === 'denied' ? findDenial(session, options) : undefined;
  if (denial === 'unanswered') {
    // What the widest mode asks about, no mode allows.
    const isWidest = options.klaus.store.session(session.id)?.mode === 'auto';
    const wider = isWidest ? '' : '--approve edits or --approve auto allows more, ';
    output.note(`Nobody was there to say yes. ${wider}--on-ask wait keeps the question open.`);
  }
  const mend = finished.outcome === 'model_failed' ? MODEL_MENDS[driven.failure ?? 'cancelled'] : undefined;
  if (mend !== undefined) output.note(mend);
  if (finished.outcome === 'model_failed' && isOutage(driven.failure ?? '')) {
    output.note('With --wait-for-model 2h Klaus keeps trying until the model is back.');
  }
  if (next) output.note(`Session ${session.id}: go on with ${toNextStep(finished, session.id, denial)}`);
}

/** What kept a denied run from going on, where the user can change that: the mode, or that nobody was asked. */
function findDenial(session: Session, { after, asks }: WorkOptions): 'unanswered' | 'mode' | undefined {
  let denial: 'unanswered' | 'mode' | undefined;
  for (const event of session.events(after)) {
    if (event.type === 'run.started') denial = undefined;
    if (event.type !== 'gate.decided') continue;
    if (event.verdict === 'ask' && !asks) denial = 'unanswered';
    if (event.verdict === 'deny' && event.rule === 'mode') denial = 'mode';
  }
  return denial;
}

/** What the user can do about a model that failed, where waiting is not all. */
const MODEL_MENDS: Readonly<Partial<Record<string, string>>> = {
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

function toNextStep(finished: EventOf<'run.finished'>, id: string, denial: ReturnType<typeof findDenial>): string {
  switch (finished.outcome) {
    case 'done':
      return `klaus --session ${id} "what next"`;
    case 'limit':
      return `klaus resume ${id}${toRaise(finished)}`;
    case 'denied':
      // The same mode would refuse the same call again.
      if (denial === 'mode') return `klaus --session ${id} --approve auto "go on"`;
      return `klaus resume ${id}${denial === 'unanswered' ? ' --on-ask wait' : ''}`;
    case 'failed':
    case 'model_failed':
    case 'cancelled':
      return `klaus resume ${id}`;
  }
}
