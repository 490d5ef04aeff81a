import type { Advance, Event, EventOf, Klaus, ModelFailureCode, Session } from '@klaus/sdk';
import { askInTerminal } from './approval-prompt.ts';
import { type Driven, toExit } from './driven.ts';
import { type Interrupts, watchInterrupts } from './interrupts.ts';
import { formatDuration } from '@klaus/sdk/transcript';
import { createLiveRelay } from './live-relay.ts';
import type { Output } from './output/output.ts';
import { findOpenRun } from './open-run.ts';
import { onReaderGone } from './streams.ts';
import { keepYoungHeapSmall } from './young-heap.ts';

export interface DriveOptions {
  klaus: Klaus;
  session: Session;
  /** Events after this one are shown. */
  after: number;
  output: Output;
  /** True when a person at this terminal answers questions. */
  asks: boolean;
  plain: boolean;
  /** Milliseconds until the run is cancelled. Default: no end. */
  timeoutMs?: number | undefined;
}

/**
 * Works on a session until nothing is left to do here, showing what happens. Ctrl-C cancels once and
 * leaves at the second time; a question is put to the person at the terminal, if there is one.
 */
export async function drive(options: DriveOptions): Promise<Driven> {
  const { session, output } = options;
  const stop = createStop(options);
  using interrupts = watchInterrupts((signal) => {
    output.note('Cancelling. Ctrl-C again leaves at once.');
    const isKey = signal === undefined || signal === 'SIGINT';
    stop.request(
      'interrupt',
      isKey ? 'The user stopped the run with Ctrl-C.' : `The signal ${signal} stopped the run.`,
    );
  });
  const late = () => {
    output.note('The time is up. Cancelling.', 'warn');
    stop.request(
      'timeout',
      `The run was stopped after ${formatDuration(options.timeoutMs ?? 0)}, its time limit (--timeout).`,
    );
  };
  const timer = options.timeoutMs === undefined ? undefined : setTimeout(late, options.timeoutMs);
  const forgetReader = onReaderGone(() =>
    stop.request('interrupt', 'The run was stopped: nobody read its output any more.'),
  );
  let failure: ModelFailureCode | undefined;
  let ended: EventOf<'run.finished'> | undefined;
  const relay = createLiveRelay(options);
  const show = (event: Event) => {
    relay.event(event);
    if (event.type === 'run.finished') ended = event;
    // The start makes much that stays; what comes from here on dies young.
    if (event.type === 'turn.started') keepYoungHeapSmall();
    if (event.type === 'model.attempted' && event.purpose === 'turn') {
      failure = event.outcome === 'ok' || event.outcome === 'cancelled' ? undefined : event.outcome;
    }
    output.event(event);
  };
  const unsubscribe = session.subscribe(options.after, show);
  const unlisten = output.live === undefined ? undefined : session.onLive(output.live);
  try {
    const result = await advanceAndAsk(options, stop, interrupts);
    const stopped = stop.reason;
    // Another process may have ended the run between the command and the claim; its end counts.
    const settled = result.state === 'idle' && ended !== undefined ? { finished: ended, ...result } : result;
    return { ...settled, stopped, failure, exitCode: toExit(settled, stopped, failure) };
  } finally {
    clearTimeout(timer);
    forgetReader();
    unlisten?.();
    relay.close();
    unsubscribe();
    output.settle();
  }
}

/** The wish to end the run: sent once, whoever has it first. */
interface Stop {
  readonly signal: AbortSignal;
  readonly reason: Driven['stopped'];
  /** @param sentence Who stops the run and why, for its log. */
  request(reason: NonNullable<Driven['stopped']>, sentence: string): void;
  /** Resolves when the wish is durable; at once where there is none. */
  sent(): Promise<void>;
}

function createStop({ session, output }: DriveOptions): Stop {
  const controller = new AbortController();
  let reason: Driven['stopped'];
  let sending = Promise.resolve();
  const send = async (sentence: string) => {
    try {
      const run = findOpenRun(session);
      await session.send({ type: 'cancel', by: 'cli', reason: sentence, ...(run === undefined ? {} : { run }) });
    } catch (error) {
      output.note(
        `The wish to stop could not be recorded: ${error instanceof Error ? error.message : String(error)}`,
        'warn',
      );
    }
  };
  return {
    signal: controller.signal,
    get reason() {
      return reason;
    },
    request(why, sentence) {
      if (reason !== undefined) return;
      reason = why;
      sending = send(sentence);
      controller.abort();
    },
    sent: () => sending,
  };
}

async function advanceAndAsk(options: DriveOptions, stop: Stop, interrupts: Interrupts): Promise<Advance> {
  const { klaus, session, output, asks, plain } = options;
  for (;;) {
    const result = await session.advance();
    if (result.state !== 'parked') return result;
    // A wish to stop that came while the session was being parked still waits in its inbox.
    if (stop.signal.aborted) {
      await stop.sent();
      if (session.isRunnable()) continue;
      return result;
    }
    const question = result.approvals[0];
    if (!asks || question === undefined) return result;
    output.settle();
    const reply = await askInTerminal(question, { plain, signal: stop.signal });
    if (reply.kind === 'interrupt') interrupts.request();
    else if (reply.kind === 'approved')
      await klaus.answer(question.approval, 'approved', { by: 'cli', ...reply.options });
    else if (reply.kind === 'rejected') await klaus.answer(question.approval, 'rejected', { by: 'cli' });
    else if (!stop.signal.aborted) return result;
    await stop.sent();
  }
}
