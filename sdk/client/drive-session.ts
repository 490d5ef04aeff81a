import type { Event, EventOf } from '@klaus/core/protocol';
import type { AnswerOptions } from '../sessions/question.ts';
import type { Advance } from '../sessions/session-handle.ts';
import type { DrivenSession, DriveOptions, DriveState } from './driven-session.ts';
import type { FollowedSession, PromptRequest, Reply, SessionClient } from './session-client.ts';

/** Milliseconds between two attempts to work on a session that another process holds. */
const BUSY_RETRY_MS = 250;
/** Milliseconds between two looks at approvals of child sessions, whose answers are in other logs. */
const CHILD_APPROVAL_MS = 500;

/** Events that, without a request of this client, show that another process works on the session. */
const FOREIGN_WORK: ReadonlySet<Event['type']> = new Set([
  'run.started',
  'run.finished',
  'approval.asked',
  'approval.answered',
  'turn.started',
]);

/**
 * Follows a session and keeps it advancing in this process, or follows the work of the server, until it is disposed: the
 * loop behind interactive user interfaces. Other processes can work on the session, answer its approvals and send
 * prompts at any time; their events are reported too.
 */
export async function driveSession(client: SessionClient, options: DriveOptions): Promise<DrivenSession> {
  const drive = new Drive(client, options);
  await drive.open();
  return drive;
}

class Drive implements DrivenSession {
  readonly #client: SessionClient;
  readonly #options: DriveOptions;
  readonly #closing = new AbortController();
  #followed: FollowedSession | undefined;
  #state: DriveState | undefined;
  /** True if something may be left to do since the last wait began. */
  #isKicked = false;
  #isWorking = false;
  /** True while the events that arrive belong to the work that is awaited. */
  #isWaiting = false;
  /** Prompts that were sent and are not in the log yet. */
  #unseen = 0;
  /** Seq of the last reported event. */
  #seq: number;
  #finished: EventOf<'run.finished'> | undefined;
  /** The writes of what the user has seen. */
  #seen: Promise<void> = Promise.resolve();
  readonly #onEvent = new Set<() => void>();
  readonly #onSettled = new Set<(state: DriveState) => void>();

  constructor(client: SessionClient, options: DriveOptions) {
    this.#client = client;
    this.#options = options;
    this.#seq = options.after;
  }

  get state(): DriveState | undefined {
    return this.#state;
  }

  async open(): Promise<void> {
    const { session, after, onEarlierEvent, onLive, onQueue, onConnection = () => {} } = this.#options;
    this.#followed = await this.#client.follow({
      session,
      after,
      onEvent: (event) => this.#receive(event),
      onEarlierEvent,
      onLive,
      onQueue,
      onConnection,
    });
    if (after > 0) this.#markSeen(after);
  }

  async send(request: PromptRequest): Promise<void> {
    // Counted before it is sent: its events can arrive before the request has returned.
    this.#unseen += 1;
    try {
      await this.#client.prompt(this.#options.session, request);
    } catch (error) {
      this.#unseen -= 1;
      throw error;
    }
    this.kick();
  }

  kick(): void {
    if (this.#closing.signal.aborted) return;
    this.#report({ state: 'working' });
    this.#look();
  }

  async cancel(reason: string): Promise<void> {
    await this.#followed!.cancel(reason);
    // What remains in the inbox is not taken by itself.
    this.#unseen = 0;
    this.kick();
  }

  async answer(approval: string, reply: Reply, options: Omit<AnswerOptions, 'by' | 'raise'> = {}): Promise<boolean> {
    if (await this.#isAnswered(approval)) return false;
    try {
      await this.#followed!.answer(approval, reply, options);
    } catch (error) {
      if (await this.#isAnswered(approval)) return false;
      throw error;
    }
    this.kick();
    return true;
  }

  async settled(): Promise<DriveState> {
    const state = this.#state;
    if (state && isSettled(state)) return state;
    return new Promise((resolve) => void this.#onSettled.add(resolve));
  }

  async dispose(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort();
    await this.#followed?.[Symbol.asyncDispose]();
    await this.#seen;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.dispose();
  }

  #receive(event: Event): void {
    if (this.#closing.signal.aborted) return;
    if (event.type === 'message.added' && (event.message.origin === 'user' || event.message.origin === 'steer'))
      this.#unseen = Math.max(0, this.#unseen - 1);
    this.#seq = event.seq;
    if (event.type === 'run.finished') this.#finished = event;
    this.#options.onEvent(event);
    if (event.type === 'run.finished') this.#markSeen(event.seq);
    for (const listener of this.#onEvent) listener();
    // The state is unknown before the first kick: nothing runs then without a request.
    if (this.#state && !this.#isWaiting && FOREIGN_WORK.has(event.type)) this.#look();
  }

  /** If it fails, the session remains in the list of what needs the user. */
  #markSeen(seq: number): void {
    const mark = (): Promise<void> => this.#client.markSeen(this.#options.session, seq).catch(() => {});
    this.#seen = this.#seen.then(mark);
  }

  /** Finds out what there is to do, and does it. */
  #look(): void {
    this.#isKicked = true;
    if (!this.#isWorking) void this.#work();
  }

  async #work(): Promise<void> {
    const { signal } = this.#closing;
    this.#isWorking = true;
    while (this.#isKicked && !signal.aborted) {
      this.#isKicked = false;
      try {
        const result = await this.#wait();
        if (!signal.aborted && !this.#isKicked) await this.#conclude(result);
      } catch (error) {
        if (!signal.aborted && !this.#isKicked) this.#report({ state: 'failed', error });
      }
    }
    this.#isWorking = false;
  }

  async #wait(): Promise<Advance> {
    this.#isWaiting = true;
    try {
      return await this.#followed!.wait({ last: this.#closing.signal });
    } finally {
      this.#isWaiting = false;
    }
  }

  async #conclude(result: Advance): Promise<void> {
    if (result.state === 'idle') {
      if (await this.#isBehind()) return this.#again(this.#nextEvent());
      this.#unseen = 0;
      const finished = this.#finished ?? result.finished;
      this.#finished = undefined;
      this.#report({ state: 'idle', ...(finished ? { finished } : {}) });
    } else if (result.state === 'parked') {
      this.#report({ state: 'parked', approvals: result.approvals });
      const below = result.approvals.filter((it) => it.session !== this.#options.session);
      if (below.length > 0) void this.#watchBelow(below.map(({ approval }) => approval));
    } else {
      this.#report({ state: 'busy' });
      // That process can end without an event, as after a kill.
      await this.#again(this.#pause(BUSY_RETRY_MS));
    }
  }

  /** True if events of another process have not arrived, or the reported status of a server is from before a request. */
  async #isBehind(): Promise<boolean> {
    const { session } = this.#options;
    const isServed = this.#client.server !== undefined;
    // After a cancel, messages remain in the queue and nothing works on them.
    if (isServed && this.#unseen > 0 && (await this.#client.queued(session)).length > 0) return true;
    const { held, lastSeq } = await this.#client.session(session);
    return (isServed && held) || lastSeq > this.#seq;
  }

  async #again(reason: Promise<void>): Promise<void> {
    await reason;
    this.#isKicked = true;
  }

  /** Looks again when an approval of a child session has been answered, as long as the session is parked. */
  async #watchBelow(approvals: readonly string[]): Promise<void> {
    const parked = this.#state;
    for (;;) {
      await this.#pause(CHILD_APPROVAL_MS);
      if (this.#closing.signal.aborted || this.#state !== parked) return;
      const answers = await Promise.all(approvals.map((approval) => this.#isAnswered(approval)));
      if (this.#state === parked && answers.includes(true)) return this.#look();
    }
  }

  async #isAnswered(approval: string): Promise<boolean> {
    return this.#client.approval(approval).then(
      ({ answer }) => answer !== null,
      () => false,
    );
  }

  #nextEvent(): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        this.#onEvent.delete(done);
        this.#closing.signal.removeEventListener('abort', done);
        resolve();
      };
      this.#onEvent.add(done);
      this.#closing.signal.addEventListener('abort', done);
    });
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const { signal } = this.#closing;
      const timer = setTimeout(done, ms);
      signal.addEventListener('abort', done);
      function done(): void {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        resolve();
      }
    });
  }

  #report(state: DriveState): void {
    if (this.#closing.signal.aborted || isSame(this.#state, state)) return;
    this.#state = state;
    this.#options.onState(state);
    if (!isSettled(state)) return;
    for (const listener of this.#onSettled) listener(state);
    this.#onSettled.clear();
  }
}

function isSettled({ state }: DriveState): boolean {
  return state !== 'working' && state !== 'busy';
}

/** True if a report of the second state would contain nothing new. */
function isSame(last: DriveState | undefined, next: DriveState): boolean {
  if (last?.state !== next.state) return false;
  if (last.state === 'parked' && next.state === 'parked')
    return last.approvals.map(({ approval }) => approval).join() === next.approvals.map((it) => it.approval).join();
  return next.state === 'working' || next.state === 'busy' || (next.state === 'idle' && next.finished === undefined);
}
