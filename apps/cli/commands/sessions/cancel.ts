import { optional } from '@klaus/sdk/optional';
import { EXIT } from '../../program/exit-codes.ts';
import { openKlaus } from '../../session/open-klaus.ts';
import { findOpenRun } from '../../session/open-run.ts';
import { toGivenServer, type ServerOptions } from '../../program/server-option.ts';
import { err } from '../../output/sink.ts';

/** `klaus cancel ID`: stops the run of a session, whichever process it is in. */
export async function cancel(id: string, options: ServerOptions): Promise<number> {
  if (toGivenServer(options) !== undefined) return (await import('../../remote/answer.ts')).cancelAt(id, options);
  await using klaus = await openKlaus();
  const session = await klaus.session(id);
  if (!(await session.isRunnable()) && !(await klaus.approvals()).some((question) => question.session === session.id)) {
    err.write(`Nothing is running in session ${session.id}.\n`);
    return EXIT.done;
  }
  const run = await findOpenRun(session);
  const reason = 'The user stopped the run with klaus cancel.';
  await session.send({ type: 'cancel', by: 'cli', reason, ...optional({ run }) });
  // Nobody may be there to see the wish; then it is carried out here, and nothing else: what waits behind
  // the run in the inbox is for a process that shows it.
  const enough = new AbortController();
  const last = (await klaus.store.session(session.id))?.lastSeq ?? 0;
  const unsubscribe = session.subscribe(last, (event) => {
    if (event.type === 'run.finished') enough.abort();
  });
  const result = await session.advance({ signal: enough.signal });
  unsubscribe();
  const how = result.state === 'busy' ? 'The process that holds it is stopping' : 'Cancelled';
  err.write(`${how}: ${run === undefined ? '' : `run ${run} of `}session ${session.id}.\n`);
  return EXIT.done;
}
