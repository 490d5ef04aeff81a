import type { Event, EventOf } from '@klaus/sdk';
import type { Client } from '@klaus/server/client';
import type { SessionStatus } from '@klaus/server/contract';
import type { ConnectedServer } from './connect-server.ts';
import { readQuestionsBelow } from './questions-below.ts';
import { retry } from './retry.ts';
import { toServerError } from './server-error.ts';
import { streamSession } from './session-stream.ts';
import type { FollowedSession, FollowOptions } from '@klaus/sdk/client';
import { CliError } from '../../program/cli-error.ts';

/** Earlier events that are read. */
const EARLIER = 500;

/** Follows a session that the server works on, until nothing is left to do there. */
export async function followHttp(server: ConnectedServer, options: FollowOptions): Promise<FollowedSession> {
  const { client, name, ask } = server;
  const { session, onConnection } = options;
  const params = { id: session };
  const open = createOpenQuestions();
  /** Approvals that were answered here, whose answers are not in the log yet. */
  const answered = new Set<string>();
  for (const event of await readEarlier(client, options)) {
    open.add(event);
    options.onEarlierEvent?.(event);
  }
  const stream = streamSession(server, {
    ...options,
    onEvent(event) {
      open.add(event);
      options.onEvent(event);
    },
  });
  /** Of the last {@link FollowedSession.wait}. */
  let last: { status: SessionStatus; version: number } | undefined;
  let signal: AbortSignal | undefined;

  return {
    async wait(given) {
      signal = given.last;
      for (;;) {
        const { version } = stream;
        const status = await ask(stream.idle());
        last = { status, version };
        if (status.problem) throw toServerError(status.problem, name);
        if (status.questions === 0) return { state: 'idle' };
        const own = open.list();
        const below = status.questions > own.length ? await ask(readQuestionsBelow(client, session)) : [];
        const approvals = [...own, ...below].filter((it) => !answered.has(it.approval));
        if (approvals.length > 0) return { state: 'parked', approvals };
        // The answers were taken, but the server has not continued the session yet.
        await stream.changed(version);
      }
    },
    async isRunnable() {
      if (!last) return true;
      const now = await ask(client.session({ params }));
      const isIdle = !now.held && now.position === null && now.questions > 0 && now.lastSeq === last.status.lastSeq;
      if (!isIdle) await stream.changed(last.version);
      return !isIdle;
    },
    async cancel(reason) {
      const onRetry = () => onConnection('The cancellation waits for the connection.');
      const body = { reason, run: open.run };
      await retry({ server: name, onRetry }, () => client.cancel({ params, body }));
    },
    async answer(approval, answer, given) {
      const onRetry = () => onConnection('The answer waits for the connection.');
      const body = { answer, ...given };
      try {
        await retry({ server: name, onRetry, signal }, () => client.answer({ params: { id: approval }, body }));
      } catch (error) {
        // Another client was faster, or the answer was taken and its confirmation was lost.
        if (!(error instanceof CliError) || error.code !== 'usage') throw error;
        onConnection(error.message);
      }
      answered.add(approval);
    },
    untilAnswered: open.untilAnswered,
    [Symbol.asyncDispose]: stream.close,
  };
}

async function readEarlier(client: Client, { session, after }: FollowOptions): Promise<Event[]> {
  if (after === 0) return [];
  const query = { after: Math.max(0, after - EARLIER), limit: EARLIER };
  const { events } = await client.log({ params: { id: session }, query });
  return events.filter(({ seq }) => seq <= after);
}

/** The open approvals and the current run of a session, from its events. */
function createOpenQuestions() {
  const questions = new Map<string, EventOf<'approval.asked'>>();
  const answers = new Map<string, AbortController>();
  let run: string | undefined;
  return {
    add(event: Event) {
      if (event.type === 'approval.asked') questions.set(event.approval, event);
      else if (event.type === 'approval.answered') {
        questions.delete(event.approval);
        answers.get(event.approval)?.abort();
      } else if (event.type === 'run.started') run = event.run;
      else if (event.type === 'run.finished') run = undefined;
    },
    /** The run that has not ended. */
    get run() {
      return run;
    },
    /** Approvals without an answer, the oldest first. */
    list: () => [...questions.values()],
    /** Aborts when the approval is answered by any client. */
    untilAnswered: (approval: string): AbortSignal => {
      const controller = new AbortController();
      answers.set(approval, controller);
      return controller.signal;
    },
  };
}
