import { setTimeout as delay } from 'node:timers/promises';
import { toDefaultGrant, unite, parseGrants } from '@klaus/core/policy';
import { toCanonical, type Event, type EventBody } from '@klaus/core/protocol';
import { createChance } from '../undo/chance.ts';
import { Files, ROOT, toHash } from './files.ts';
import { Human } from './human.ts';
import type { BrokenInvariant } from './invariant.ts';
import { Monitor } from './monitor.ts';
import { Notices } from './notices.ts';
import { SECRET, TOOLS, type Plan } from './plan.ts';
import { BEGIN, Scheduler, type Host } from './scheduler.ts';
import { Requests } from './requests.ts';
import { SimProcess } from './sim-process.ts';
import type { Ground, LifeStores, ProcessStore } from './stores/life-stores.ts';
import { Faults, type World } from './world.ts';

/** Steps after which no more failures occur and every question is answered at once. */
const CALM_AFTER = 2_000;
/** Real milliseconds within which the events reach every process, for a store that sends them in real time. */
const DELIVERY_MS = 10_000;
/** Maximum steps of a simulation. */
const MAX_STEPS = 6_000;

/** The result of one simulation. */
export interface Outcome {
  seed: number;
  broken?: BrokenInvariant;
  /** Hash of all steps in order. The same seed gives the same hash. */
  hash: string;
  steps: number;
  /** Processes that were killed. */
  crashes: number;
  events: readonly Event[];
  trace: readonly string[];
  /** For plans with crashes only. */
  canonical?: unknown[];
}

/** Simulates one plan from the first prompt until no task is left, and checks every invariant. */
export async function simulate(ground: Ground, plan: Plan): Promise<Outcome> {
  const stores = await ground.openLife();
  const life = new Life(plan, stores);
  try {
    return await life.live();
  } finally {
    await life.close();
    await stores.close();
  }
}

/** Checks that the same plan without crashes gives the same canonical log, unless an outcome was unknown. */
export async function compareWithUndisturbed(ground: Ground, plan: Plan, outcome: Outcome): Promise<Outcome> {
  if (!plan.isCalm || outcome.broken || outcome.crashes === 0 || isUnknowable(outcome.events)) return outcome;
  const undisturbed = await simulate(ground, { ...plan, faults: [] });
  if (undisturbed.broken) return { ...outcome, broken: undisturbed.broken };
  const one = toCanonicalLines(outcome.events);
  const other = toCanonicalLines(undisturbed.events);
  const at = one.findIndex((line, index) => line !== other[index]);
  if (at < 0 && one.length === other.length) return outcome;
  const place = at < 0 ? one.length : at;
  const what = `line ${place}:\n  with crashes: ${one[place]}\n  without:      ${other[place]}`;
  return { ...outcome, broken: { invariant: 'same canonical log', what, step: outcome.steps } };
}

function toCanonicalLines(events: readonly Event[]): string[] {
  return toCanonical(events).map((event) => JSON.stringify(event));
}

function isUnknowable(events: readonly Event[]): boolean {
  return events.some(
    (event) =>
      (event.type === 'tool.finished' && event.outcome === 'unknown') ||
      (event.type === 'message.added' && event.message.parts.some((part) => part.type === 'call' && part.redacted)),
  );
}

class Life {
  readonly #world: World;
  readonly #user: Host = { name: 'user', isAlive: true };
  #door: ProcessStore | undefined;
  #human: Human | undefined;
  readonly #processes: SimProcess[] = [];
  readonly #counts = new Map<string, number>();
  #started = 0;
  #crashes = 0;
  #waiting = 0;

  constructor(plan: Plan, stores: LifeStores) {
    const scheduler = new Scheduler(createChance(plan.seed), stores);
    const session = '01SMVLATED0000000000000000';
    const monitor = new Monitor({ durable: stores.durable, session, stepOf: () => scheduler.steps });
    this.#world = {
      plan,
      scheduler,
      files: new Files(scheduler),
      monitor,
      requests: new Requests(),
      faults: new Faults(plan),
      stores,
      notices: new Notices(scheduler),
      session,
      holder: undefined,
    };
  }

  async live(): Promise<Outcome> {
    const { scheduler, monitor, plan, stores } = this.#world;
    const host = this.#user;
    this.#door = await stores.open({ name: host.name, clock: scheduler.clockOf(host, { isPoll: true }) });
    const human = new Human(this.#world, { host, store: this.#door });
    this.#human = human;
    await this.#open(this.#door);
    human.begin();
    await this.#start();
    if (plan.seed % 5 === 2) this.#startLater(100);
    while (!monitor.broken && !this.#isAtRest()) {
      if (scheduler.steps > CALM_AFTER) this.#calm();
      if (scheduler.steps > MAX_STEPS) {
        monitor.fail('every run ends', `after ${scheduler.steps} steps the session is not at rest`);
        break;
      }
      this.#crash();
      await scheduler.settle();
      const hasStep = await scheduler.step();
      this.#look();
      if (!hasStep) break;
    }
    if (!monitor.broken) await this.#end(this.#door);
    const { broken } = monitor;
    const { trace, steps } = scheduler;
    scheduler.note(`${monitor.events.at(-1)?.prev} ${JSON.stringify([...this.#world.files.workspace])}`);
    const hash = scheduler.hash();
    const { seed } = plan;
    return { seed, hash, steps, crashes: this.#crashes, events: monitor.events, trace, ...(broken ? { broken } : {}) };
  }

  async close(): Promise<void> {
    for (const process of this.#processes) process.kill();
    await this.#world.scheduler.settle();
    await this.#door?.kill();
  }

  async #open(door: ProcessStore): Promise<void> {
    const { plan, session, scheduler, files } = this.#world;
    files.write('a.txt', 'one\ntwo\nthree\n');
    files.write('src/c.txt', 'see\n');
    files.write('.env', `KEY=${SECRET}\n`);
    files.write('src/deep/AGENTS.md', 'Be kind.\n');
    const wide = ['net(example.com,443)', 'spawn(1,3)'];
    const grant = plan.wide
      ? unite([toDefaultGrant(ROOT), parseGrants(wide, { workspace: ROOT, now: BEGIN })])
      : toDefaultGrant(ROOT);
    const opened: EventBody = {
      type: 'session.opened',
      workspace: ROOT,
      model: 'sim/big',
      mode: plan.mode,
      patchApproval: plan.patchApproval,
      sandbox: 'bubblewrap',
      checkpoint: plan.checkpoint,
      limits: plan.limits,
      grant,
      system: 'You are simulated.',
      tools: TOOLS.map(({ name }) => name),
      klaus: 'sim',
      ...(plan.isolate ? { isolate: true } : {}),
      ...(plan.snapshots ? {} : { snapshots: false }),
    };
    const lease = (await door.claim(session))!;
    await door.append(session, [{ ...opened, at: scheduler.now }], { lease });
    await lease.release();
    await scheduler.settle();
  }

  async #start(): Promise<void> {
    const host: Host = { name: `p${++this.#started}`, isAlive: true };
    const process = await SimProcess.open(this.#world, host);
    this.#processes.push(process);
    process.start(() => this.#startLater(1_000));
  }

  #startLater(most: number): void {
    const { scheduler } = this.#world;
    this.#waiting++;
    const ms = Number.parseInt(toHash(`${this.#world.plan.seed} ${this.#started}`).slice(0, 4), 16) % most;
    const run = (): void => {
      this.#waiting--;
      void this.#start();
    };
    scheduler.at(this.#user, ms, { label: 'a process starts', run });
  }

  /** Kills the process that holds the session as planned, and starts another one. */
  #crash(): void {
    const { plan, scheduler, faults, holder } = this.#world;
    if (faults.isOver) return;
    for (const fault of plan.faults) {
      if (fault.kind === 'crash' && fault.step === scheduler.steps) this.#kill(holder);
      if (fault.kind !== 'crash-at') continue;
      const isThere = scheduler.waiting().some(({ label }) => label.startsWith(fault.label));
      const key = JSON.stringify(fault);
      const known = this.#counts.get(key) ?? 0;
      if (isThere !== (known % 2 === 1)) this.#counts.set(key, known + 1);
      if (isThere && known === fault.nth * 2 - 2) this.#kill(holder);
    }
  }

  #kill(host: Host | undefined): void {
    const process = this.#processes.find((one) => one.host === host && one.host.isAlive);
    if (!process) return;
    this.#crashes++;
    process.kill();
    this.#startLater(3_000);
  }

  #look(): void {
    this.#world.monitor.catchUp();
    this.#human?.look();
  }

  #calm(): void {
    this.#world.faults.isOver = true;
    if (this.#human) this.#human.isPatient = false;
  }

  #isAtRest(): boolean {
    const { monitor, session } = this.#world;
    if (this.#waiting > 0 || this.#human?.isBusy || this.#processes.some((one) => one.host.isAlive && one.isWorking))
      return false;
    const { state } = monitor;
    return !state.run && state.titled && !state.openSnapshot && this.#world.stores.durable.inbox(session).length === 0;
  }

  /** Delivers all events to all subscribers. Then nothing may be open. */
  async #end(door: ProcessStore): Promise<void> {
    const { scheduler, monitor } = this.#world;
    const until = scheduler.now + 3_000;
    scheduler.at(this.#user, 3_000, { label: 'the end', run: () => {} });
    while (scheduler.now < until && !monitor.broken) if (!(await scheduler.step())) break;
    const end = performance.now() + DELIVERY_MS;
    while (this.#world.stores.isRemote && !monitor.isDelivered && performance.now() < end) await delay(1);
    await monitor.atEnd(door);
  }
}
