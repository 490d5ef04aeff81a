import { optional } from '@klaus/sdk/optional';
import type { Event, EventOf } from '@klaus/sdk';
import type { SessionStatus } from '@klaus/server/contract';
import { sayHowToGoOn } from '../output/closing-words.ts';
import { type RunResult, toExit } from '../session/run-result.ts';
import type { Output } from '../output/output.ts';
import type { ShowOptions } from '../program/run-options.ts';
import { createStop, type Stop } from '../session/stop.ts';
import { retrying } from './retrying.ts';
import type { RemoteServer } from './connect-server.ts';
import { ServerError, toServerError } from './server-error.ts';
import { watchSession, type WatchedSession } from './watched-session.ts';
import { err } from '../output/sink.ts';

export interface FollowRunOptions {
  server: RemoteServer;
  /** Id. */
  session: string;
  /** Events after this one are shown. */
  after: number;
  show: ShowOptions;
  output: Output;
  /** True when a person at this terminal answers questions. */
  asks: boolean;
  /** What was put into the inbox: "The message". */
  handedOver?: string;
}

/**
 * Shows what a server does on a session until nothing is left to do there, as if it were done here: questions are put
 * to the person at the terminal, Ctrl-C cancels the run, and the exit code is the same.
 */
export async function followRun(options: FollowRunOptions): Promise<number> {
  const { server, session, output, show } = options;
  const before = await recall(options);
  const say = createSay(options);
  const watched = watchSession({ ...options, before, say });
  const cancel = async (reason: string): Promise<void> => {
    const { run } = watched.facts;
    const body = { reason, ...optional({ run }) };
    await retrying({ server, onWait: () => say('The wish to stop waits for the connection.') }, () =>
      server.client.cancel({ params: { id: session }, body }),
    );
  };
  let driven: RunResult;
  try {
    using stop = createStop({
      output,
      words: 'Cancelling. Ctrl-C again leaves at once; the run goes on at the server then.',
      timeoutMs: show.timeout === undefined ? undefined : show.timeout * 1_000,
      send: cancel,
    });
    driven = await waitAndAsk(options, { watched, stop, say });
  } finally {
    await watched.close();
    output.settle();
  }
  const { denial, mode } = watched.facts;
  sayHowToGoOn({
    driven,
    session,
    output,
    denial,
    isWidest: mode === 'auto',
    handedOver: options.handedOver,
    at: server.at,
  });
  return driven.exitCode;
}

/** A word about the connection, also where only events are printed. */
function createSay({ show, output }: FollowRunOptions): (text: string) => void {
  return (text) => {
    if (show.json === true) err.write(`klaus: ${text}\n`);
    else output.note(text, 'warn');
  };
}

/** Events from before what is shown: for an output that names what it shows by them, and for questions still open. */
const RECALLED = 500;

async function recall({ server, session, after, output }: FollowRunOptions): Promise<Event[]> {
  if (after === 0) return [];
  const query = { after: Math.max(0, after - RECALLED), limit: RECALLED };
  const { events } = await server.client.log({ params: { id: session }, query });
  const before = events.filter(({ seq }) => seq <= after);
  for (const event of before) output.recall?.(event);
  return before;
}

interface Parts {
  watched: WatchedSession;
  stop: Stop;
  say: (text: string) => void;
}

async function waitAndAsk(options: FollowRunOptions, parts: Parts): Promise<RunResult> {
  const { watched, stop } = parts;
  const answered = new Set<string>();
  for (;;) {
    const { version } = watched;
    const standing = await watched.still();
    if (standing.questions === 0) return toDriven(options, parts, standing);
    if (stop.signal.aborted) {
      await stop.sent();
      if (!(await isStill(options, standing))) await watched.changed(version);
      else return toDriven(options, parts, standing);
      continue;
    }
    const questions = watched.facts.questions();
    const question = questions.find(({ approval }) => !answered.has(approval));
    if (!options.asks || questions.length === 0) return toDriven(options, parts, standing);
    if (!question) {
      // Its answer is on its way to the log.
      await watched.changed(version);
      continue;
    }
    const reply = await ask(question, options, parts);
    if (reply === 'answered') answered.add(question.approval);
    else if (!stop.signal.aborted && watched.facts.questions().includes(question))
      return toDriven(options, parts, standing);
  }
}

/** False while the wish to stop is being carried out, or was a moment ago. */
async function isStill({ server, session }: FollowRunOptions, { lastSeq }: SessionStatus): Promise<boolean> {
  const now = await server.client.session({ params: { id: session } });
  return !now.held && now.position === null && now.questions > 0 && now.lastSeq === lastSeq;
}

function toDriven({ server }: FollowRunOptions, { watched, stop }: Parts, standing: SessionStatus): RunResult {
  if (standing.problem) throw toServerError(standing.problem, server.name);
  const { ended, failure } = watched.facts;
  const result =
    standing.questions > 0
      ? { state: 'parked' as const, approvals: watched.facts.questions() }
      : { state: 'idle' as const, ...(ended ? { finished: ended } : {}) };
  const stopped = stop.reason;
  return { ...result, stopped, failure, exitCode: toExit(result, stopped, failure) };
}

/** Puts a question to the person at the terminal, until it has an answer from there or from anywhere else. */
async function ask(
  question: EventOf<'approval.asked'>,
  { server, show, output }: FollowRunOptions,
  { watched, stop, say }: Parts,
): Promise<'answered' | 'open'> {
  output.settle();
  const { askInTerminal } = await import('../prompt/approval-prompt.ts');
  const { approval } = question;
  const signal = AbortSignal.any([stop.signal, watched.facts.untilAnswered(approval)]);
  const reply = await askInTerminal(question, { plain: show.plain ?? false, signal });
  if (reply.kind === 'interrupt') {
    stop.interrupt();
    await stop.sent();
    return 'open';
  }
  if (reply.kind === 'later') return 'open';
  const body = { answer: reply.kind, ...reply.options };
  try {
    await retrying({ server, onWait: () => say('The answer waits for the connection.'), signal: stop.signal }, () =>
      server.client.answer({ params: { id: approval }, body }),
    );
  } catch (error) {
    // Somebody else was faster, or the answer had come through although its receipt had not.
    if (!(error instanceof ServerError) || error.code !== 'usage') throw error;
    output.note(error.message);
  }
  return 'answered';
}
