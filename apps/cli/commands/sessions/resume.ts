import type { Klaus, Session } from '@klaus/sdk';
import { openKlaus } from '../../session/open-klaus.ts';
import { UsageError } from '../../program/report-error.ts';
import { type LimitOptions, type RunOptions, type ShowOptions, toLimits, toWait } from '../../program/run-options.ts';
import { toGivenServer, type ServerOptions } from '../../program/server-option.ts';
import { createOutput } from '../../output/show-output.ts';
import { runSession } from '../../session/run-session.ts';
import { lastSeq, toOnAsk } from './run.ts';

/** `klaus resume ID`: goes on after a crash, a limit, a failure or a cancel. */
export async function resume(
  id: string,
  options: ShowOptions & LimitOptions & ServerOptions & Pick<RunOptions, 'onAsk' | 'waitForModel'>,
): Promise<number> {
  if (toGivenServer(options) !== undefined) return (await import('../../remote/run.ts')).resumeAt(id, options);
  const output = createOutput(options);
  const settings = { onAsk: options.onAsk, 'retry.waitMs': options.waitForModel };
  await using klaus = await openKlaus({ settings, onNotice: (text) => output.note(text) });
  const session = await klaus.session(id);
  const { last, state } = await readRun(klaus, session);
  const { onAsk, asks } = toOnAsk(klaus, options);
  const limits = toLimits(options);
  if (Object.keys(limits).length > 0) await session.send({ type: 'limits', limits });
  if (state === 'done' && !(await session.isRunnable())) {
    throw new UsageError(
      `Nothing is left to do in session ${session.id}.`,
      `Give it a new task: klaus --session ${session.id} "what next"`,
    );
  }
  // A run that was cut off goes on by itself; one that ended needs to be asked for.
  if (state === 'stopped') await session.send({ type: 'resume', onAsk, ...toWait(options) });
  return await runSession({ klaus, session, after: last, show: options, output, asks });
}

/** Where the last run of a session stands: under way, ended well (or never begun), or ended short of that. */
async function readRun(klaus: Klaus, session: Session): Promise<{ last: number; state: 'open' | 'done' | 'stopped' }> {
  const last = await lastSeq(klaus, session);
  const event = await klaus.store.lastOf(session.id, ['run.started', 'run.finished']);
  if (event?.type === 'run.started') return { last, state: 'open' };
  return { last, state: event === undefined || event.outcome === 'done' ? 'done' : 'stopped' };
}
