import type { EventOf, Klaus, Session } from '@klaus/sdk';
import { describeUsed } from '@klaus/sdk/transcript';
import { CliFailure } from '../program/cli-failure.ts';
import type { Control } from './control.ts';
import { readLogEnd, type LogEnd } from './stats.ts';

export interface DriveOptions {
  klaus: Klaus;
  session: Session;
  control: Control;
  prompt: string;
  /** The run must end with an accepted result. */
  needsResult: boolean;
  /** Aborted with a CliFailure as its reason: the run is cancelled. */
  signal: AbortSignal;
}

/** Milliseconds in which a cancelled run must end, before it is left as after a crash. */
const CANCEL_MS = 5_000;
const BY = 'klendathu';

const REMINDER =
  'You ended without a result. Call `set_result` with a value that matches the schema, or `fail_implementation` with the reason why there is none.';

/**
 * Runs the session until it has a result, a failure, or nothing more to do. The log is complete then.
 *
 * @returns The end of the log. `control` has the result or the failure.
 */
export async function drive(options: DriveOptions): Promise<LogEnd> {
  const { klaus, session, control, prompt, needsResult, signal } = options;
  const leave = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const cancel = (): void => {
    const failure = signal.reason as CliFailure;
    control.fail(failure);
    void session.send({ type: 'cancel', by: BY, reason: failure.message }).catch(() => leave.abort());
    timer = setTimeout(() => leave.abort(), CANCEL_MS);
  };
  signal.addEventListener('abort', cancel, { once: true });
  if (signal.aborted) cancel();
  // The session has a title: after the end of a run, another request to a model would look for one.
  let ended = new AbortController();
  const unsubscribe = session.subscribe(0, ({ type }) => void (type === 'run.finished' && ended.abort()));
  try {
    await run(prompt);
    if (needsResult && !control.pause.aborted && (await isDone())) await run(REMINDER);
    if (control.pause.aborted && !leave.signal.aborted) await close();
  } finally {
    unsubscribe();
    clearTimeout(timer);
    signal.removeEventListener('abort', cancel);
  }
  const end = await readLogEnd(session.events());
  // The program gets the result: it does not wait for the attention of the user.
  await klaus.store.markSeen({ session: session.id, seq: end.seq });
  judge(control, end, { needsResult });
  return end;

  async function run(text: string): Promise<void> {
    ended = new AbortController();
    await session.prompt(text, { onAsk: 'deny' });
    await session.advance({ signal: leave.signal, pause: AbortSignal.any([control.pause, ended.signal]) });
  }

  /** Ends the run that was paused after its result or its failure. */
  async function close(): Promise<void> {
    const { failure } = control;
    const end = failure
      ? { reason: failure.message }
      : { reason: 'The result was accepted.', outcome: 'done' as const };
    await session.send({ type: 'cancel', by: BY, ...end });
    await session.advance({ signal: leave.signal });
  }

  async function isDone(): Promise<boolean> {
    const { finished } = await readLogEnd(session.events());
    return finished?.outcome === 'done' || finished?.outcome === 'denied';
  }
}

/** Finds the failure of a run that has neither a result nor a failure yet. */
function judge(control: Control, end: LogEnd, { needsResult }: { needsResult: boolean }): void {
  if (control.findings || control.isAccepted || control.failure) return;
  const failure = toFailure(end);
  if (failure) control.fail(failure);
  else if (needsResult) control.fail(new CliFailure('no-result', 'The agent ended without a result.'));
  else if (end.text === '') control.fail(new CliFailure('model', 'The agent ended without an answer.'));
}

function toFailure({ finished, attempt }: LogEnd): CliFailure | undefined {
  if (!finished) return new CliFailure('cli-died', 'The run has no end in its log.');
  const { reason, error } = finished;
  const hint = error?.hint;
  switch (finished.outcome) {
    case 'done':
    case 'denied':
      return undefined;
    case 'limit':
      return new CliFailure('limit', reason, { hint: toLimitHint(finished) });
    case 'model_failed':
      return new CliFailure(attempt?.outcome === 'auth' ? 'auth' : 'model', reason, { hint });
    case 'failed':
      return new CliFailure('model', reason, { hint });
    case 'cancelled':
      return new CliFailure('cancelled', reason);
  }
}

function toLimitHint({ limit }: EventOf<'run.finished'>): string | undefined {
  return limit && `${describeUsed(limit)}. Raise this limit.`;
}
