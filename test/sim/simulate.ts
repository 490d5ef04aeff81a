import { copyFileSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toDefaultGrant, unite, parseGrants } from '@klaus/core/policy';
import { toCanonical, type Event, type EventBody } from '@klaus/core/protocol';
import { createSqliteStore, type SqliteStore } from '@klaus/adapters/store';
import { createChance } from '../undo/chance.ts';
import { Files, ROOT, toHash } from './files.ts';
import { Human } from './human.ts';
import { Monitor, type BrokenInvariant } from './monitor.ts';
import { SECRET, TOOLS, type Plan } from './plan.ts';
import { BEGIN, Scheduler, type Host } from './scheduler.ts';
import { Requests } from './sim-model.ts';
import { SimProcess } from './sim-process.ts';
import { Faults, type World } from './world.ts';

/** Steps after which nothing fails any more and every question is answered at once. */
const CALM_AFTER = 2_000;
/** Steps after which a session that is not at rest never will be. */
const MAX_STEPS = 6_000;

/** What one simulated life came to. */
export interface Outcome {
  seed: number;
  broken?: BrokenInvariant;
  /** Of everything that happened, in its order: a replay gives the same. */
  hash: string;
  steps: number;
  /** Processes that were killed. */
  crashes: number;
  events: readonly Event[];
  trace: readonly string[];
  /** For plans whose crashes are to leave no trace. */
  canonical?: unknown[];
}

/** Where the databases of the simulated worlds are: in memory where the machine has such a place. */
function toTemporary(): string {
  return mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : realpathSync(tmpdir()), 'klaus-sim-'));
}

/** A folder for simulated worlds. One empty database is made and copied for each of them. */
export class Ground implements Disposable {
  readonly #folder = toTemporary();
  #made = 0;

  constructor() {
    createSqliteStore({ home: join(this.#folder, 'empty') })[Symbol.dispose]();
  }

  createHome(): string {
    const home = join(this.#folder, String(++this.#made));
    mkdirSync(home, { mode: 0o700 });
    copyFileSync(join(this.#folder, 'empty', 'klaus.db'), join(home, 'klaus.db'));
    return home;
  }

  removeHome(home: string): void {
    rmSync(home, { recursive: true, force: true });
  }

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Lives one plan from the first prompt until nothing happens any more, and checks every invariant on the way. */
export async function simulate(ground: Ground, plan: Plan): Promise<Outcome> {
  const home = ground.createHome();
  const life = new Life(plan, home);
  try {
    return await life.live();
  } finally {
    life.close();
    ground.removeHome(home);
  }
}

/** The same plan without crashes gives the same canonical log, unless something happened that nobody can know. */
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
  readonly #door: SqliteStore;
  readonly #user: Host = { name: 'user', isAlive: true };
  readonly #human: Human;
  readonly #processes: SimProcess[] = [];
  readonly #counts = new Map<string, number>();
  #started = 0;
  #crashes = 0;
  #waiting = 0;

  constructor(plan: Plan, home: string) {
    const scheduler = new Scheduler(createChance(plan.seed));
    this.#door = createSqliteStore({ home, clock: scheduler.clockOf(this.#user, { isPoll: true }) });
    const session = '01SMVLATED0000000000000000';
    const monitor = new Monitor({ store: this.#door, session, stepOf: () => scheduler.steps });
    this.#world = {
      plan,
      scheduler,
      files: new Files(scheduler),
      monitor,
      requests: new Requests(),
      faults: new Faults(plan),
      home,
      session,
      holder: undefined,
    };
    this.#human = new Human(this.#world, { host: this.#user, store: this.#door });
  }

  async live(): Promise<Outcome> {
    const { scheduler, monitor, plan } = this.#world;
    await this.#open();
    this.#human.begin();
    this.#start();
    if (plan.seed % 5 === 2) this.#startLater(100);
    while (!monitor.broken && !this.#isAtRest()) {
      if (scheduler.steps > CALM_AFTER) this.#calm();
      if (scheduler.steps > MAX_STEPS) {
        monitor.fail('every run ends', `after ${scheduler.steps} steps the session is not at rest`);
        break;
      }
      this.#crash();
      const goesOn = await scheduler.step();
      this.#look();
      if (!goesOn) break;
    }
    if (!monitor.broken) await this.#end();
    const { broken } = monitor;
    const { trace, steps } = scheduler;
    scheduler.note(`${monitor.events.at(-1)?.prev} ${JSON.stringify([...this.#world.files.workspace])}`);
    const hash = scheduler.hash();
    const { seed } = plan;
    return { seed, hash, steps, crashes: this.#crashes, events: monitor.events, trace, ...(broken ? { broken } : {}) };
  }

  close(): void {
    for (const process of this.#processes) process.kill();
    this.#door[Symbol.dispose]();
  }

  async #open(): Promise<void> {
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
    const lease = (await this.#door.claim(session))!;
    await this.#door.append(session, [{ ...opened, at: scheduler.now }], { lease });
    await lease.release();
    await scheduler.settle();
  }

  #start(): void {
    const host: Host = { name: `p${++this.#started}`, isAlive: true };
    const process = new SimProcess(this.#world, host);
    this.#processes.push(process);
    process.start(() => this.#startLater(1_000));
  }

  #startLater(most: number): void {
    const { scheduler } = this.#world;
    this.#waiting++;
    const ms = Number.parseInt(toHash(`${this.#world.plan.seed} ${this.#started}`).slice(0, 4), 16) % most;
    const run = (): void => {
      this.#waiting--;
      this.#start();
    };
    scheduler.at(this.#user, ms, { label: 'a process starts', run });
  }

  /** Kills the process that holds the session when the plan says so; another one comes. */
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
    this.#human.look();
  }

  #calm(): void {
    this.#world.faults.isOver = true;
    this.#human.isPatient = false;
  }

  #isAtRest(): boolean {
    const { monitor, session } = this.#world;
    if (this.#waiting > 0 || this.#human.isBusy || this.#processes.some((one) => one.host.isAlive && one.isWorking))
      return false;
    const { state } = monitor;
    return !state.run && state.titled && !state.openSnapshot && this.#door.view.inbox(session).length === 0;
  }

  /** Everybody gets what is left to get; then nothing may be open. */
  async #end(): Promise<void> {
    const { scheduler, monitor } = this.#world;
    const until = scheduler.now + 3_000;
    scheduler.at(this.#user, 3_000, { label: 'the end', run: () => {} });
    while (scheduler.now < until && !monitor.broken) if (!(await scheduler.step())) break;
    await monitor.atEnd();
  }
}
