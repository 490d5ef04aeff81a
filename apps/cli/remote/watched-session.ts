import type { Event, EventOf, Live, ModelFailureCode } from '@klaus/sdk';
import { followSession } from '@klaus/server/client';
import type { Standing } from '@klaus/server/contract';
import { createDenialFinder } from '../closing-words.ts';
import type { Output } from '../output/output.ts';
import type { RemoteServer } from './connect-server.ts';
import { ServerError, toServerError } from './server-error.ts';

export interface WatchOptions {
  server: RemoteServer;
  /** Id. */
  session: string;
  /** Events after this one are shown. */
  after: number;
  /** Some of those before it. */
  before: readonly Event[];
  output: Output;
  /** True when a person at this terminal answers questions. */
  asks: boolean;
  /** A word about the connection. */
  say: (text: string) => void;
}

type Question = EventOf<'approval.asked'>;

/** A session of a server that is shown as it goes on there, whatever happens to the connection. */
export interface WatchedSession {
  /** What the events have told so far. */
  readonly seen: {
    readonly ended: EventOf<'run.finished'> | undefined;
    readonly failure: ModelFailureCode | undefined;
    readonly denial: ReturnType<typeof createDenialFinder>['found'];
    /** Of the run under way. */
    readonly run: string | undefined;
    readonly mode: string | undefined;
  };
  /** Questions that came by and have no answer yet, the oldest first. */
  questions(): Question[];
  /** Aborts when a question has its answer, from wherever it came. */
  untilAnswered(approval: string): AbortSignal;
  /**
   * Resolves when the session stands still: nobody works on it, and everything that was appended has been shown.
   * Until something happens again it resolves with the same.
   *
   * @throws ServerError when it is gone, or the server does not let this client in any more.
   */
  still(): Promise<Standing>;
  /** Grows with everything that comes. */
  readonly version: number;
  /** Resolves when something came after that version. */
  changed(version: number): Promise<void>;
  close(): Promise<void>;
}

/** Follows and shows a session. */
export function watchSession(options: WatchOptions): WatchedSession {
  const { server, session, after, output } = options;
  const quit = new AbortController();
  const denial = createDenialFinder(options.asks);
  const questions = new Map<string, Question>();
  const answers = new Map<string, AbortController>();
  const fresh = createFreshText();
  const link = createLinkWords(server.name, options.say);
  const seen: Omit<Writable<WatchedSession['seen']>, 'denial'> = {
    ended: undefined,
    failure: undefined,
    run: undefined,
    mode: undefined,
  };
  let seq = after;
  let standing: Standing | undefined;
  let lost: Error | undefined;
  let version = 0;
  const waiters = new Set<() => void>();
  const wake = (): void => {
    version += 1;
    for (const waiter of waiters) waiter();
    waiters.clear();
  };
  const changed = (since: number): Promise<void> =>
    version === since ? new Promise((resolve) => void waiters.add(resolve)) : Promise.resolve();

  const learn = (event: Event): void => {
    if (event.type === 'approval.asked') questions.set(event.approval, event);
    else if (event.type === 'approval.answered') {
      questions.delete(event.approval);
      answers.get(event.approval)?.abort();
    } else if (event.type === 'session.opened' || event.type === 'session.changed') seen.mode = event.mode ?? seen.mode;
    else if (event.type === 'run.started') seen.run = event.run;
    else if (event.type === 'run.finished') seen.run = undefined;
  };
  options.before.forEach(learn);
  const onEvent = (event: Event): void => {
    seq = event.seq;
    learn(event);
    denial.event(event);
    if (event.type === 'run.finished') seen.ended = event;
    if (event.type === 'model.attempted' && event.purpose === 'turn')
      seen.failure = event.outcome === 'ok' || event.outcome === 'cancelled' ? undefined : event.outcome;
    output.event(event);
    wake();
  };
  const following = followSession(server.client, {
    session,
    after,
    onEvent,
    ...(output.live ? { onLive: (live: Live) => fresh(live).forEach((each) => output.live?.(each)) } : {}),
    onStanding(now) {
      standing = now;
      wake();
    },
    onGone() {
      lost = new ServerError('usage', `Session ${session} was deleted at ${server.name}.`);
      wake();
    },
    onState(state) {
      link(state);
      // What was known of it belongs to the connection that is gone.
      if (state.state !== 'live') standing = undefined;
      if (state.state === 'ended') {
        lost = new Error(state.reason);
        wake();
      }
    },
    signal: quit.signal,
  });

  const findLoss = async (): Promise<Error> => {
    if (lost instanceof ServerError) return lost;
    // The stream was refused; the same question by an ordinary request says why.
    const problem = await server.client.session({ params: { id: session } }).then(
      () => undefined,
      (error: unknown) => (error as { problem?: Parameters<typeof toServerError>[0] }).problem,
    );
    return problem ? toServerError(problem, server.name) : new ServerError('config', String(lost?.message));
  };

  return {
    seen: {
      get ended() {
        return seen.ended;
      },
      get failure() {
        return seen.failure;
      },
      get run() {
        return seen.run;
      },
      get mode() {
        return seen.mode;
      },
      get denial() {
        return denial.found;
      },
    },
    questions: () => [...questions.values()],
    untilAnswered(approval) {
      const answered = new AbortController();
      answers.set(approval, answered);
      return answered.signal;
    },
    async still() {
      for (;;) {
        const now = version;
        if (lost) throw await findLoss();
        if (standing && seq >= standing.lastSeq && !standing.held && standing.position === null) return standing;
        await changed(now);
      }
    },
    get version() {
      return version;
    },
    changed,
    async close() {
      quit.abort();
      await following;
    },
  };
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** Says once that the connection broke, and once that it is there again. */
function createLinkWords(name: string, say: (text: string) => void) {
  let isBroken = false;
  return (state: { state: string; reason?: string }): void => {
    if (state.state === 'waiting' && !isBroken) {
      isBroken = true;
      say(`The connection to ${name} broke; trying again until it is back. The run goes on there.`);
    } else if (state.state === 'live' && isBroken) {
      isBroken = false;
      say(`Connected to ${name} again.`);
    }
  };
}

/** After a reconnection the text on its way comes from its beginning: only what is new of it is shown. */
function createFreshText(): (live: Live) => Live[] {
  const lengths = new Map<string, number>();
  return (live) => {
    if (live.type === 'message.discarded') return [live];
    const key = live.type === 'tool.progress' ? live.call : `${live.message}/${live.part}`;
    const known = lengths.get(key) ?? 0;
    lengths.set(key, Math.max(known, live.offset + live.text.length));
    const text = live.text.slice(Math.max(0, known - live.offset));
    return text === '' ? [] : [{ ...live, offset: Math.max(live.offset, known), text }];
  };
}
