import type { Store } from '@klaus/core/agent';
import { hunksOf, isKlausError, type Command, type Event, type EventOf, type Limits } from '@klaus/core/protocol';
import { createChance, type Chance } from '../undo/chance.ts';
import type { PlannedAct, PlannedReply } from './plan.ts';
import type { Host } from './scheduler.ts';
import { createSimEngine } from './sim-process.ts';
import type { ProcessStore } from './stores/life-stores.ts';
import type { World } from './world.ts';

type Given = Command extends infer C ? (C extends Command ? Omit<C, 'id'> : never) : never;

/** A simulated user: sends prompts, answers questions, withdraws prompts, and edits files. */
export class Human {
  /** False: every question is answered at once. */
  isPatient = true;
  readonly #world: World;
  readonly #host: Host;
  readonly #store: Store;
  readonly #door: ProcessStore;
  readonly #ids: () => string;
  /** The remaining planned acts. */
  #pending = 0;
  #questions = 0;
  #seen = 0;
  #unsubscribe: () => void = () => {};
  #last = 0;

  constructor(world: World, { host, store }: { host: Host; store: ProcessStore }) {
    this.#world = world;
    this.#host = host;
    this.#door = store;
    const engine = createSimEngine(world, { host, store });
    this.#store = engine.store;
    this.#ids = () => engine.ids.ulid();
  }

  get isBusy(): boolean {
    return this.#pending > 0;
  }

  begin(): void {
    const { plan } = this.#world;
    this.#follow();
    const { onAsk } = plan;
    for (let number = 0; number < plan.prompts; number++) {
      const delivery = number === 0 || plan.isCalm ? 'queue' : 'steer';
      this.#prompt(`prompt ${number}`, delivery, number * 400);
    }
    for (const act of plan.acts) this.#later(act.at, act.what, () => this.#act(act, onAsk));
  }

  /** Answers questions that became durable. */
  look(): void {
    const { events, state } = this.#world.monitor;
    for (; this.#seen < events.length; this.#seen++) {
      const event = events[this.#seen]!;
      if (event.type === 'approval.asked') this.#reply(event);
    }
    if (this.isPatient) return;
    for (const approval of state.approvals.keys()) {
      if ((this.#world.monitor.answers.get(approval) ?? []).length === 0)
        this.#send({ type: 'approve', approval, answer: 'rejected', by: 'sim' });
    }
  }

  /** Subscribes like a client: after the last event that it received. */
  #follow(): void {
    const { monitor, session } = this.#world;
    this.#unsubscribe();
    this.#unsubscribe = this.#door.subscribe(session, this.#last, (event: Event) => {
      this.#last = event.seq;
      monitor.emitted('door', event);
    });
  }

  #later(ms: number, label: string, run: () => void): void {
    this.#pending++;
    this.#world.scheduler.at(this.#host, ms, {
      label: `user ${label}`,
      run: () => {
        this.#pending--;
        run();
      },
    });
  }

  #send(given: Given, id = this.#ids()): void {
    this.#pending++;
    void this.#store
      .send(this.#world.session, { ...given, id } as Command)
      .catch((error: unknown) => {
        if (!isKlausError(error)) throw error;
        this.#world.scheduler.note(`user gets ${error.code}`);
        // Sends it again with the same id, because it may not have arrived.
        this.#later(50, 'tries again', () => this.#send(given, id));
      })
      .finally(() => this.#pending--);
  }

  #prompt(text: string, delivery: 'steer' | 'queue', ms: number): void {
    const { onAsk } = this.#world.plan;
    this.#later(ms, delivery, () => this.#send({ type: 'prompt', parts: [{ type: 'text', text }], onAsk, delivery }));
  }

  #reply(asked: EventOf<'approval.asked'>): void {
    const { replies } = this.#world.plan;
    const reply = replies[this.#questions++ % Math.max(1, replies.length)];
    if (!reply || reply.answer === 'never') return;
    this.#later(reply.delay, 'answers', () => this.#answer(asked, reply));
  }

  #answer(asked: EventOf<'approval.asked'>, reply: PlannedReply): void {
    const { answer, second, scope, inPart, edits } = reply;
    if (answer === 'never') return;
    const { approval, subject } = asked;
    const { plan, monitor } = this.#world;
    // The order of an answer and the result of another call depends on the user and not on a crash.
    if (plan.isCalm && monitor.state.calls.some((call) => call.started && !call.asked))
      return this.#later(100, 'waits', () => this.#answer(asked, reply));
    const path = subject.kind === 'call' ? subject.before[0]?.path : undefined;
    if (edits && path !== undefined) this.#world.files.write(path, `the user's own ${approval}\n`);
    const hunks = hunksOf(asked);
    const accepted = hunks.filter((_, at) => at % 2 === 0).map(({ id }) => id);
    const given: Given = {
      type: 'approve',
      approval,
      answer,
      by: 'sim',
      scope,
      ...(inPart && hunks.length > 1 ? { hunks: { accepted } } : {}),
    };
    this.#send(given);
    const other = answer === 'approved' ? 'rejected' : 'approved';
    if (second) this.#send({ type: 'approve', approval, answer: second === 'same' ? answer : other, by: 'sim too' });
  }

  /** Withdraws the last prompt, an older one that may be consumed, or one that was never sent. */
  #withdraw(chance: Chance, text: string): void {
    if (chance.percent(30)) {
      const known = [...this.#world.monitor.prompts.keys()];
      const command = known.length > 0 && chance.percent(80) ? chance.pick(known) : 'nothing';
      return this.#send({ type: 'withdraw', command });
    }
    const id = this.#ids();
    const delivery = chance.pick(['queue', 'queue', 'steer'] as const);
    const parts = [{ type: 'text' as const, text }];
    this.#send({ type: 'prompt', parts, onAsk: this.#world.plan.onAsk, delivery }, id);
    const wait = chance.percent(40) ? 0 : chance.number(600);
    this.#later(wait, 'changes his mind', () => this.#send({ type: 'withdraw', command: id }));
  }

  #act({ what, salt }: PlannedAct, onAsk: 'deny' | 'wait'): void {
    const chance = createChance(salt);
    const { monitor, files } = this.#world;
    switch (what) {
      case 'steer':
      case 'queue':
        return this.#send({
          type: 'prompt',
          parts: [{ type: 'text', text: `${what} ${salt}` }],
          onAsk,
          delivery: what,
        });
      case 'withdraw':
        return this.#withdraw(chance, `withdrawn ${salt}`);
      case 'cancel':
        return this.#send({ type: 'cancel' });
      case 'resume':
        return this.#send({ type: 'resume', onAsk });
      case 'compact':
        return this.#send({ type: 'compact', by: 'sim', onAsk });
      case 'shell':
        return this.#send({ type: 'shell', command: `shell ${salt}`, by: 'sim', onAsk });
      case 'limits':
        return this.#send({ type: 'limits', limits: toLimits(salt) });
      case 'mode':
        return this.#send({ type: 'change', mode: chance.pick(['plan', 'ask', 'edits', 'auto'] as const) });
      case 'revoke': {
        const pieces = monitor.state.grant.authorities;
        const some = pieces.filter(() => chance.percent(40));
        return this.#send({ type: 'revoke', by: 'sim', ...(chance.percent(20) ? {} : { authorities: some }) });
      }
      case 'edit':
        files.write(chance.pick(['a.txt', 'b.txt', 'src/c.txt']), chance.percent(20) ? null : `user ${salt}\n`);
        return;
      case 'stale': {
        const asked = monitor.events.findLast((event) => event.type === 'approval.asked');
        const approval = asked?.approval ?? 'nothing';
        // Not the open question: an answered question takes no answer.
        if (monitor.state.approvals.has(approval)) return;
        return this.#send({ type: 'approve', approval, answer: 'approved', by: 'sim late' });
      }
      case 'again': {
        const id = this.#ids();
        const text = `twice ${salt}`;
        this.#send({ type: 'prompt', parts: [{ type: 'text', text }], onAsk, delivery: 'queue' }, id);
        this.#send({ type: 'prompt', parts: [{ type: 'text', text }], onAsk, delivery: 'queue' }, id);
        return this.#follow();
      }
    }
  }
}

function toLimits(salt: number): Partial<Limits> {
  const chance = createChance(salt);
  return {
    ...(chance.percent(50) ? { tokens: chance.percent(30) ? 0 : 2_000 + chance.number(30_000) } : {}),
    ...(chance.percent(30) ? { usd: chance.number(100) / 500 } : {}),
    ...(chance.percent(30) ? { toolCalls: chance.number(10) } : {}),
    ...(chance.percent(30) ? { turns: chance.number(10) } : {}),
  };
}
