import type { Klaus, Session } from '@klaus/sdk';
import { createDenialFinder, sayHowToGoOn } from '../output/closing-words.ts';
import { drive } from './drive.ts';
import { EXIT } from '../program/exit-codes.ts';
import type { Output } from '../output/output.ts';
import { toLine } from '@klaus/sdk/printable';
import type { ShowOptions } from '../program/run-options.ts';

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
export async function runSession(options: WorkOptions): Promise<number> {
  const { klaus, session, output, show } = options;
  if (options.after > 0 && output.recall !== undefined) {
    // Only calls of the last turn can still be open.
    const begun = await klaus.store.lastOf(session.id, ['turn.started']);
    for await (const event of session.events(begun?.seq ?? 0)) if (event.seq <= options.after) output.recall(event);
  }
  const { isKlausError, KlausError } = await import('@klaus/sdk');
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
  const denial = createDenialFinder(options.asks);
  const isDenied = driven.state === 'idle' && driven.finished?.outcome === 'denied';
  if (isDenied) for await (const event of session.events(options.after)) denial.event(event);
  sayHowToGoOn({
    driven,
    session: session.id,
    output,
    denial: denial.found,
    isWidest: isDenied && (await klaus.store.session(session.id))?.mode === 'auto',
    handedOver: options.handedOver,
    next: options.next,
  });
  await sayWhatWaits(options);
  sayWhatGoesOn(options);
  return driven.exitCode;
}

/** Messages that came for a run that was cancelled begin no other one by themselves. */
async function sayWhatWaits({ klaus, session, output }: WorkOptions): Promise<void> {
  const waiting = (await klaus.store.inbox(session.id)).filter(({ type }) => type === 'prompt').length;
  if (waiting === 0 || (await klaus.store.isClaimed(session.id))) return;
  const what = waiting === 1 ? 'A message waits' : `${waiting} messages wait`;
  output.note(
    `${what} in session ${session.id}. klaus resume ${session.id} goes on with ${waiting === 1 ? 'it' : 'them'}.`,
  );
}

/** What is left running behind this program. */
function sayWhatGoesOn({ klaus, session, output }: WorkOptions): void {
  for (const { id, state, survives, command } of klaus.processes(session.id)) {
    if (state !== 'running' || !survives) continue;
    const name = `${session.id}/${id}`;
    output.note(`Background process ${id} goes on: ${toLine(command, 80)}. klaus logs ${name}, klaus stop ${name}`);
  }
}
