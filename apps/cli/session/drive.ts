import { optional } from '@klaus/sdk/optional';
import type { Advance, Event, EventOf, Klaus, ModelFailureCode, Session } from '@klaus/sdk';
import { askInTerminal } from '../prompt/approval-prompt.ts';
import { type RunResult, toExit } from './run-result.ts';
import { createLiveRelay } from './live-relay.ts';
import type { Output } from '../output/output.ts';
import { findOpenRun } from './open-run.ts';
import { createStop, type Stop } from './stop.ts';

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
export async function drive(options: DriveOptions): Promise<RunResult> {
  const { session, output } = options;
  using stop = createStop({
    output,
    words: 'Cancelling. Ctrl-C again leaves at once.',
    timeoutMs: options.timeoutMs,
    async send(reason) {
      const run = await findOpenRun(session);
      await session.send({ type: 'cancel', by: 'cli', reason, ...optional({ run }) });
    },
  });
  let failure: ModelFailureCode | undefined;
  let ended: EventOf<'run.finished'> | undefined;
  const relay = createLiveRelay(options);
  const show = (event: Event) => {
    relay.event(event);
    if (event.type === 'run.finished') ended = event;
    if (event.type === 'model.attempted' && event.purpose === 'turn') {
      failure = event.outcome === 'ok' || event.outcome === 'cancelled' ? undefined : event.outcome;
    }
    output.event(event);
  };
  const unsubscribe = session.subscribe(options.after, show);
  const unlisten = output.live === undefined ? undefined : session.onLive(output.live);
  try {
    const result = await advanceAndAsk(options, stop);
    const stopped = stop.reason;
    // Another process may have ended the run between the command and the claim; its end counts.
    const settled = result.state === 'idle' && ended !== undefined ? { finished: ended, ...result } : result;
    return { ...settled, stopped, failure, exitCode: toExit(settled, stopped, failure) };
  } finally {
    unlisten?.();
    relay.close();
    unsubscribe();
    output.settle();
  }
}

async function advanceAndAsk(options: DriveOptions, stop: Stop): Promise<Advance> {
  const { klaus, session, output, asks, plain } = options;
  for (;;) {
    const result = await session.advance({ last: stop.signal });
    if (result.state !== 'parked') return result;
    // A cancel that came while the session was being parked still waits in its inbox.
    if (stop.signal.aborted) {
      await stop.sent();
      if (await session.isRunnable()) continue;
      return result;
    }
    const question = result.approvals[0];
    if (!asks || question === undefined) return result;
    output.settle();
    const reply = await askInTerminal(question, { plain, signal: stop.signal });
    if (reply.kind === 'interrupt') stop.interrupt();
    else if (reply.kind !== 'later') await klaus.answer(question.approval, reply.kind, { by: 'cli', ...reply.options });
    else if (!stop.signal.aborted) return result;
    await stop.sent();
  }
}
