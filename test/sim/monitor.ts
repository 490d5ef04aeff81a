import type { ModelRequest } from '@klaus/core/agent';
import { accountOf, createState, fold, takenOf } from '@klaus/core/agent';
import { allowsTool, isCovered } from '@klaus/core/policy';
import { toCountedTokens, type Event, type EventOf, type Limits } from '@klaus/core/protocol';
import { addUsage, NO_USAGE } from '@klaus/core/protocol';
import { checkPrompts } from './checks/check-prompts.ts';
import { checkRow } from './checks/check-row.ts';
import { Effects } from './checks/effects.ts';
import { toHash } from './files.ts';
import { findBrokenHistory } from './checks/history.ts';
import type { BrokenInvariant, Invariant } from './checks/invariant.ts';
import { SECRET, TOOLS } from './plan.ts';
import type { DurableData, ProcessStore } from './stores/life-stores.ts';

/** A command of the user, with the time when it became durable. */
export interface SentAnswer {
  answer: string;
  at: number;
}

const EPSILON = 1e-9;

/**
 * Observes one session through its own database connection, so that it only sees durable data. Records the first broken
 * invariant.
 */
export class Monitor {
  broken: BrokenInvariant | undefined;
  readonly state = createState();
  readonly events: Event[] = [];
  readonly answers = new Map<string, SentAnswer[]>();
  /** Texts of prompts that became durable in the inbox, by the id of the command. */
  readonly prompts = new Map<string, string>();
  /** Commands that withdraw a prompt, by their id; `isLater`: the prompt was durable before. */
  readonly withdrawals = new Map<string, { prompt: string; isLater: boolean }>();
  /** Tokens that the model's provider counted. */
  billed = 0;
  /** Completed writes to the database, by any process. */
  writes = 0;
  readonly #durable: DurableData;
  readonly #session: string;
  readonly #stepOf: () => number;
  readonly #effects = new Effects((invariant, what) => this.fail(invariant, what));
  readonly #decided = new Map<string, EventOf<'gate.decided'>>();
  readonly #asked = new Map<string, EventOf<'approval.asked'>>();
  readonly #settled = new Map<string, EventOf<'approval.answered'>>();
  readonly #finished = new Set<string>();
  readonly #seen = new Map<string, number>();
  #runUsage = NO_USAGE;
  #logged = 0;
  #looked = -1;

  constructor(options: { durable: DurableData; session: string; stepOf: () => number }) {
    this.#durable = options.durable;
    this.#session = options.session;
    this.#stepOf = options.stepOf;
  }

  fail(invariant: Invariant, what: string): void {
    this.broken ??= { invariant, what, step: this.#stepOf() };
  }

  /** Reads the data that became durable since the last call. Costs nothing if nothing was written. */
  catchUp(): void {
    if (this.writes === this.#looked) return;
    this.#looked = this.writes;
    this.#read();
  }

  #read(): void {
    for (const event of this.#durable.events(this.#session, this.state.seq)) {
      this.#check(event);
      this.events.push(event);
      fold(this.state, event);
      this.#checkAfter(event);
    }
  }

  /** Checks a transaction that consumed these commands and appended these events. */
  consumed(ids: readonly string[], events: readonly Event[]): void {
    for (const id of ids) {
      const { prompt, isLater } = this.withdrawals.get(id) ?? {};
      if (prompt === undefined) continue;
      if (ids.includes(prompt) && events.length > 0)
        this.fail('withdrawn or sent', `${prompt} was withdrawn and sent in the same transaction`);
      // A command that arrived while the inbox was read is ignored.
      if (isLater && this.#durable.inbox(this.#session).some((command) => command.id === prompt))
        this.fail('withdrawn or sent', `${prompt} is still queued, and its withdrawal was consumed`);
    }
  }

  /** Checks an event that a subscriber of a process received. */
  emitted(subscriber: string, event: Event): void {
    const last = this.#seen.get(subscriber) ?? 0;
    if (event.seq !== last + 1) this.fail('append before emit', `${subscriber} got ${event.seq} after ${last}`);
    this.#seen.set(subscriber, event.seq);
    if (event.seq > this.state.seq) this.#read();
    const durable = this.events[event.seq - 1];
    if (!durable) this.fail('append before emit', `${subscriber} got ${event.seq} ${event.type}, which is not durable`);
    else if (durable.prev !== event.prev || durable.type !== event.type)
      this.fail('append before emit', `${subscriber} got another ${event.seq} than the durable one`);
  }

  /** Records a subscription to the events after `after`. */
  seenBy(subscriber: string, after: number): void {
    this.#seen.set(subscriber, after);
  }

  /** True when every subscriber received every event. */
  get isDelivered(): boolean {
    return [...this.#seen.values()].every((seq) => seq === this.state.seq);
  }

  /** Removes the subscribers of a dead process. */
  forget(subscriber: string): void {
    this.#seen.delete(subscriber);
  }

  /**
   * Checks an effect of a call before it happens.
   *
   * @param isLate The process lost the session after the intent, and does not know it yet.
   */
  effectBegins(id: string, isLate = false): void {
    this.catchUp();
    if (isLate) return this.#effects.beginsLate(id);
    const { state } = this;
    const call = state.calls.find(({ input }) => (input as { id?: unknown } | null)?.id === id);
    const started = call?.started;
    if (!call || call.finished) return this.fail('intent before effect', `${id} happens, and no call is open for it`);
    const decided = this.#decided.get(call.id);
    if (decided?.verdict !== 'allow') this.fail('one gate', `${id} happens, and the gate did not allow it`);
    if (!started) return this.fail('intent before effect', `${id} happens, and no intent is durable`);
    if (decided && (decided.attempt !== started.attempt || decided.seq > started.seq))
      this.fail('one gate', `${id} happens, and its attempt ${started.attempt} was not judged`);
    this.#effects.begins(id, started);
    this.#checkAnswer(id, call.id, started);
    const { toolCalls } = state.limits;
    const open = state.calls.filter((other) => other.started).length;
    if (toolCalls > 0 && started.attempt === 1 && state.spent.toolCalls + open > toolCalls)
      this.fail('within the limits', `${id} is tool call ${state.spent.toolCalls + open} of ${toolCalls}`);
    const isRead = TOOLS.find(({ name }) => name === call.name)?.effects.every((effect) => effect === 'read');
    if (!isRead && state.session?.snapshots !== false && !state.openSnapshot)
      this.fail('changes can be undone', `${id} happens, and no state before it is kept`);
  }

  effectEnds(id: string): void {
    this.#effects.ends(id);
  }

  /** Checks a command before it runs in the workspace or on a layer. */
  commandRuns(tool: string, isOnLayer: boolean): void {
    const { session, mode } = this.state;
    const isInPlace = TOOLS.find(({ name }) => name === tool)?.inPlace ?? false;
    const isReviewed = (session?.isolate ?? false) || (session?.patchApproval ?? false) || mode === 'ask';
    if (isReviewed && !isInPlace && !isOnLayer)
      this.fail('review before it is applied', `${tool} runs on the workspace itself`);
  }

  /** Checks a model request before it is sent; `worst` is its maximum cost. */
  requestLeaves(request: ModelRequest, worst: { tokens: number; usd: number; isTurn: boolean; isLate: boolean }): void {
    this.catchUp();
    // Its reservation was charged when the session was taken from it.
    if (worst.isLate) return;
    const { state } = this;
    const open = accountOf(state.ledger, this.#session).open;
    if (!open) this.fail('reserved before spent', 'a request leaves, and nothing is set aside for it');
    else if (open.reserved.tokens < worst.tokens || (open.reserved.usd ?? 0) < worst.usd - EPSILON)
      this.fail(
        'reserved before spent',
        `${JSON.stringify(open.reserved)} is set aside, and it can cost ${JSON.stringify(worst)}`,
      );
    if (worst.isTurn) {
      if (!state.openTurn) this.fail('reserved before spent', 'a request leaves, and no turn is open for it');
      const complaint = findBrokenHistory(request.messages);
      if (complaint !== undefined) this.fail('history is well-formed', complaint);
    }
    this.#checkRoom({ tokens: 0, usd: 0 });
    if (JSON.stringify(request.messages).includes(SECRET)) this.fail('secrets do not travel', 'a request holds it');
  }

  /** @param more The maximum cost of a request in addition to spent and reserved amounts. */
  #checkRoom(more: { tokens: number; usd: number }): void {
    const { limits, ledger } = this.state;
    const { tokens, usd } = takenOf(ledger, this.#session);
    if (limits.tokens > 0 && tokens + more.tokens > limits.tokens)
      this.fail('within the limits', `${tokens} tokens are taken, ${more.tokens} more may be, of ${limits.tokens}`);
    if (limits.usd > 0 && (usd ?? 0) + more.usd > limits.usd + EPSILON)
      this.fail('within the limits', `$${usd} is taken, $${more.usd} more may be, of $${limits.usd}`);
  }

  #check(event: Event): void {
    const { state } = this;
    if (JSON.stringify(event).includes(SECRET))
      this.fail('secrets do not travel', `${event.seq} ${event.type} holds it`);
    switch (event.type) {
      case 'run.started':
        if (state.run) this.fail('every run ends', `run ${event.run} begins while another is under way`);
        this.#runUsage = NO_USAGE;
        return;
      case 'turn.started':
        this.#checkTurn(event, state.limits);
        return;
      case 'model.requested':
        if (accountOf(state.ledger, event.session).open)
          this.fail('reserved before spent', 'two requests are under way');
        this.#checkRoom({ tokens: event.reserved.tokens, usd: event.reserved.usd ?? 0 });
        return;
      case 'model.attempted':
        this.#runUsage = addUsage(this.#runUsage, event.usage);
        this.#logged += toCountedTokens(event.usage) + event.usage.cacheRead;
        return;
      case 'gate.decided':
        if (event.phase === undefined) this.#decided.set(event.call, event);
        if (event.verdict === 'allow' && !event.call.startsWith('checkpoint-'))
          if (!allowsTool(state.grant, event.name, event.at))
            this.fail('authority never grows', `${event.name} is allowed, and the grant has no such tool`);
        return;
      case 'approval.asked':
        if (this.#asked.has(event.approval)) this.fail('approvals answered once', `${event.approval} is asked twice`);
        this.#asked.set(event.approval, event);
        return;
      case 'approval.answered':
        this.#checkAnswered(event);
        return;
      case 'grant.changed':
        if (!isCovered(event.grant, state.grant)) this.fail('authority never grows', 'the grant became wider');
        return;
      case 'tool.finished':
        if (this.#finished.has(event.call)) this.fail('at most once', `${event.call} has two results`);
        this.#finished.add(event.call);
        return;
      case 'run.finished':
        if (JSON.stringify(event.usage) !== JSON.stringify(this.#runUsage))
          this.fail('sums agree', `the run says ${JSON.stringify(event.usage)}, not ${JSON.stringify(this.#runUsage)}`);
        return;
      default:
    }
  }

  #checkTurn(event: EventOf<'turn.started'>, limits: Limits): void {
    const { state } = this;
    if (state.openTurn || state.calls.length > 0)
      this.fail('every run ends', `turn ${event.turn} begins over an open one`);
    this.#checkRoom({ tokens: event.reserved.tokens, usd: event.reserved.usd ?? 0 });
    if (limits.turns > 0 && state.spent.turns >= limits.turns)
      this.fail('within the limits', `turn ${state.spent.turns + 1} begins, and ${limits.turns} is the limit`);
  }

  #checkAnswered(event: EventOf<'approval.answered'>): void {
    const asked = this.#asked.get(event.approval);
    if (!asked) return this.fail('approvals answered once', `${event.approval} is answered and was never asked`);
    if (this.#settled.has(event.approval)) this.fail('approvals answered once', `${event.approval} is answered twice`);
    this.#settled.set(event.approval, event);
    if (event.answer !== 'approved') return;
    const sent = this.answers.get(event.approval) ?? [];
    if (!sent.some(({ answer, at }) => answer === 'approved' && at < asked.expiresAt))
      this.fail('approvals are bound', `${event.approval} is approved without an answer in time`);
  }

  /** Checks that an approval is for exactly this call, and that a refused call does not run. */
  #checkAnswer(id: string, call: string, started: EventOf<'tool.started'>): void {
    const asked = [...this.#asked.values()].findLast(({ subject }) => subject.kind === 'call' && subject.call === call);
    if (asked?.subject.kind !== 'call') return;
    const answer = this.#settled.get(asked.approval)?.answer;
    if (answer === 'rejected') return this.fail('approvals are bound', `${id} happens, and a human rejected it`);
    const decided = this.#decided.get(call);
    if (decided?.rule !== 'approval') return;
    const { callHash, before, grantHash } = asked.subject;
    if (answer !== 'approved') this.fail('approvals are bound', `${id} happens without an approval`);
    if (callHash !== decided.callHash) this.fail('approvals are bound', `${id} is another call than the approved one`);
    if (grantHash !== toHash(JSON.stringify(this.state.grant)))
      this.fail('approvals are bound', `${id} was approved under another grant`);
    const files = new Map(before.map(({ path, hash }) => [path, hash]));
    const other = started.changes.find((change) => files.get(change.path) !== change.before);
    if (other) this.fail('approvals are bound', `${id} was approved when ${other.path} was another file`);
  }

  #checkAfter(event: Event): void {
    if (event.type === 'tool.started') {
      const call = this.state.calls.find((one) => one.id === event.call);
      const { id } = (call?.input ?? {}) as { id?: string };
      if (id !== undefined) this.#effects.intended(id, event, this.#decided.get(event.call)?.verdict === 'allow');
    }
    if (event.type !== 'run.finished') return;
    const { calls, openTurn, approvals, ledger } = this.state;
    const isOpen = accountOf(ledger, event.session).open !== undefined;
    if (calls.length > 0 || openTurn || isOpen || approvals.size > 0)
      this.fail('every run ends', `run ${event.run} ended and left a call, a turn or a question open`);
  }

  /** The checks at the end of a simulation. */
  async atEnd(store: Pick<ProcessStore, 'audit' | 'session'>): Promise<void> {
    this.#read();
    const { state } = this;
    const open = [
      state.run && 'a run',
      state.calls.length > 0 && 'a call',
      state.openTurn && 'a turn',
      accountOf(state.ledger, this.#session).open && 'a request',
      state.approvals.size > 0 && 'a question',
      state.openSnapshot && 'a turn whose state is not kept',
      this.#durable.inbox(this.#session).length > 0 && 'a command',
    ].filter(Boolean);
    if (open.length > 0) this.fail('nothing left open', `at the end there is still ${open.join(', ')}`);
    for (const [id] of this.#asked)
      if (!this.#settled.has(id)) this.fail('approvals answered once', `${id} has no answer`);
    checkPrompts(this, (invariant, what) => this.fail(invariant, what));
    if (this.#logged < this.billed)
      this.fail('sums agree', `the provider counted ${this.billed} tokens, the log ${this.#logged}`);
    await checkRow(store, { session: this.#session, ledger: state.ledger }, (what) => this.fail('sums agree', what));
    const report = await store.audit();
    if (!report.intact) this.fail('chain is intact', JSON.stringify(report));
    for (const [subscriber, seq] of this.#seen)
      if (seq !== state.seq) this.fail('append before emit', `${subscriber} got ${seq} of ${state.seq} events`);
  }
}
