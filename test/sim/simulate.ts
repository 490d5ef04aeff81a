import { toDefaultGrant, unite, parseGrants } from '@klaus/core/policy';
import { toCanonical, type Event, type EventBody } from '@klaus/core/protocol';
import { pollUntil } from '../fixtures/poll.ts';
import { createChance } from '../undo/chance.ts';
import { Files, ROOT } from './files.ts';
import type { Ground } from './ground.ts';
import { SingleHolder } from './checks/holders.ts';
import { Human } from './human.ts';
import type { BrokenInvariant } from './checks/invariant.ts';
import { Monitor } from './monitor.ts';
import { Notices } from './notices.ts';
import { SECRET, TOOLS, type Plan } from './plan.ts';
import { ProcessGroup, type Processes } from './process-group.ts';
import { Requests } from './requests.ts';
import { BEGIN, Scheduler, type Host } from './scheduler.ts';
import type { LifeStores, ProcessStore } from './stores/life-stores.ts';
import { Faults, type World } from './world.ts';

/** Steps after which no more failures occur and every question is answered at once. */
const CALM_AFTER = 2_000;
/** Real milliseconds within which the events reach every process, for a store that sends them in real time. */
const DELIVERY_MS = 30_000;
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
  const life = new Life(plan, stores, ground);
  try {
    return await life.live();
  } finally {
    await life.close();
    await stores.close();
  }
}

/** Checks that the same plan without crashes gives the same canonical log, unless an outcome was unknown. */
export async function compareWithUndisturbed(ground: Ground, plan: Plan, outcome: Outcome): Promise<Outcome> {
  if (!plan.isCalm || plan.cluster || outcome.broken || outcome.crashes === 0 || isUnknowable(outcome.events))
    return outcome;
  const undisturbed = await simulate(ground.twin ?? ground, { ...plan, faults: [] });
  if (undisturbed.broken) return { ...outcome, broken: undisturbed.broken };
  const one = toCanonicalLines(outcome.events);
  const other = toCanonicalLines(undisturbed.events);
  const at = one.findIndex((line, index) => line !== other[index]);
  if (at < 0 && one.length === other.length) return outcome;
  const place = at < 0 ? one.length : at;
  const what = `line ${place}:\n  with crashes: ${one[place]}\n  without:      ${other[place]}`;
  return { ...outcome, broken: { invariant: 'same canonical log', what, step: outcome.steps } };
}

/** Checks that the same plan gives the same steps and the same events over another store. */
export async function compareWithTwin({ twin }: Ground, plan: Plan, outcome: Outcome): Promise<Outcome> {
  if (!twin || outcome.broken) return outcome;
  const other = await simulate(twin, plan);
  const lines = (one: Outcome): string[] => [...one.events.map((event) => JSON.stringify(event)), ...one.trace];
  const [here, there] = [lines(outcome), lines(other)];
  if (other.hash === outcome.hash && here.join() === there.join()) return outcome;
  const at = here.findIndex((line, index) => line !== there[index]);
  const what = other.broken?.what ?? `here: ${here[at]}\n  there: ${there[at]}`;
  return { ...outcome, broken: { invariant: 'same over every store', what, step: outcome.steps } };
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
  readonly #processes: Processes;

  constructor(plan: Plan, stores: LifeStores, ground: Ground) {
    const { isRemote } = stores;
    const scheduler = new Scheduler(createChance(plan.seed), { isRemote, pace: ground.pace });
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
      holders: new SingleHolder(monitor),
    };
    this.#processes = ground.createProcesses?.(this.#world) ?? new ProcessGroup(this.#world);
  }

  async live(): Promise<Outcome> {
    const { scheduler, monitor, plan, stores } = this.#world;
    const host = this.#user;
    this.#door = await stores.open({ name: host.name, clock: scheduler.clockOf(host, { isPoll: true }) });
    const human = new Human(this.#world, { host, store: this.#door });
    this.#human = human;
    await this.#open(this.#door);
    human.begin();
    await this.#processes.begin();
    while (!monitor.broken && !this.#isAtRest()) {
      if (scheduler.steps > CALM_AFTER) this.#calm();
      if (scheduler.steps > MAX_STEPS) {
        monitor.fail('every run ends', `after ${scheduler.steps} steps the session is not at rest`);
        break;
      }
      this.#processes.fail();
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
    return {
      seed,
      hash,
      steps,
      crashes: this.#processes.crashes,
      events: monitor.events,
      trace,
      broken,
    };
  }

  async close(): Promise<void> {
    this.#processes.kill();
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
    if (this.#human?.isBusy || this.#processes.isBusy) return false;
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
    if (this.#world.stores.isRemote)
      await pollUntil(() => monitor.isDelivered || performance.now() > end, { everyMs: 20 });
    await monitor.atEnd(door);
  }
}
