// `npm run test:sim [-- --seeds 20000] [-- --from 1] [-- --jobs 2] [-- --json]`: many simulated sessions.
// `npm run test:sim -- --seed N`: one seed, twice, with all its steps. `-- --mutants`: builds with deliberate bugs.
// `-- --store postgres`: the same lives over Postgres, compared with those over SQLite. `-- --store postgres --scheduler
// embedded|temporal`: lives of two workers, in simulated time or with a real Temporal.
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { planOf } from './ground.ts';
import { MUTANTS } from './mutants.ts';
import { findMissing, openGround, startServices, type GroundKind } from './open-ground.ts';
import { catchMutant, simulateRange } from './pool.ts';
import { toText, type Report } from './report.ts';
import { check } from './shrink.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '2000' },
    from: { type: 'string', default: '1' },
    jobs: { type: 'string', default: String(Math.min(2, availableParallelism())) },
    seed: { type: 'string' },
    json: { type: 'boolean', default: false },
    mutant: { type: 'string' },
    mutants: { type: 'boolean', default: false },
    store: { type: 'string', default: 'sqlite' },
    scheduler: { type: 'string' },
  },
});

/** Maximum broken seeds before the run ends. */
const MAX_BROKEN = 5;

const kind = toKind(values);
const missing = findMissing(kind);
if (missing) throw new Error(missing);
await using services = await startServices(kind);

function toKind({ store, scheduler }: { store: string; scheduler?: string }): GroundKind {
  if (store !== 'sqlite' && store !== 'postgres') throw new Error('`--store` is `sqlite` or `postgres`.');
  if (scheduler === undefined) return { store };
  if (scheduler !== 'embedded' && scheduler !== 'temporal')
    throw new Error('`--scheduler` is `embedded` or `temporal`.');
  if (store === 'sqlite') throw new Error('Two workers need a store of several machines: add `--store postgres`.');
  return { store, scheduler };
}

/** Simulates many seeds. The exit code is 1 if an invariant broke. */
async function runMany(): Promise<void> {
  const begun = performance.now();
  const sum = { seeds: 0, broken: 0, steps: 0, events: 0, crashes: 0, stops: 0, lostWakes: 0, lostAttempts: 0 };
  const seconds = (): number => (performance.now() - begun) / 1_000;
  const isEnough = (report: Report): boolean => {
    sum.seeds++;
    for (const key of ['steps', 'events', 'crashes', 'stops', 'lostWakes', 'lostAttempts'] as const)
      sum[key] += report[key];
    if (values.json) console.log(JSON.stringify(report));
    else if (report.broken) console.log(`${toText(report, kind)}\n`);
    else if (sum.seeds % 1_000 === 0)
      console.error(`${sum.seeds} seeds, ${(sum.seeds / seconds()).toFixed(1)} a second`);
    return report.broken !== undefined && ++sum.broken >= MAX_BROKEN;
  };
  const range = { from: Number(values.from), count: Number(values.seeds), jobs: Number(values.jobs) };
  await simulateRange({ ...range, services, kind, mutant: values.mutant, isEnough });
  const text =
    `${sum.seeds} seeds from ${values.from}: ${sum.broken} broken; ${sum.steps} steps, ${sum.events} events, ` +
    `${sum.crashes} crashes, ${sum.stops} stops, ${sum.lostWakes} lost wakes, ${sum.lostAttempts} lost attempts; ` +
    `${seconds().toFixed(0)} s, ${(sum.seeds / seconds()).toFixed(1)} seeds a second`;
  if (values.json) console.error(text);
  else console.log(text);
  process.exitCode = sum.broken > 0 || sum.seeds === 0 ? 1 : 0;
}

/** Simulates one seed twice: both must be equal. */
async function runOne(seed: number): Promise<void> {
  await using ground = await openGround(await services.order(kind));
  const plan = planOf(ground, seed);
  const [first, second] = [await check(ground, plan), await check(ground, plan)];
  const { broken, hash, steps, crashes, trace, events } = first;
  if (values.json) console.log(JSON.stringify({ seed, hash, steps, crashes, broken, plan, trace, events }));
  else {
    for (const line of trace) console.log(line);
    const log = events.map((event) => `${event.seq} ${event.type}`).join(', ');
    console.log(`the log: ${log}\n${JSON.stringify({ ...plan, answers: undefined })}`);
    for (const answer of plan.answers) console.log(`answer: ${JSON.stringify(answer).slice(0, 500)}`);
    console.log(broken ? `"${broken.invariant}" is broken: ${broken.what}` : 'nothing is broken');
    console.log(`${steps} steps, ${crashes} crashes, hash ${hash}`);
  }
  // Temporal decides when an attempt begins.
  const isReplayed = kind.scheduler === 'temporal' || second.hash === hash;
  if (!isReplayed) console.error(`It cannot be replayed: the second life has the hash ${second.hash}.`);
  process.exitCode = broken || !isReplayed ? 1 : 0;
}

/** Simulates every mutant until it is caught. A mutant that is not caught fails the run. */
async function runMutants(): Promise<void> {
  // Their bugs are in the store of one machine and in the loop.
  if (kind.store === 'postgres' && !kind.scheduler) throw new Error('With Postgres, mutants need a `--scheduler`.');
  let missed = 0;
  const isOfCluster = kind.scheduler !== undefined;
  for (const mutant of MUTANTS.filter((one) => (one.isOfCluster ?? false) === isOfCluster)) {
    const range = { from: Number(values.from), count: Number(values.seeds), services, kind };
    const { caught, lived } = await catchMutant(mutant, range);
    if (!caught) missed++;
    const verdict = caught
      ? `caught after ${lived} seeds, by seed ${caught.seed}: "${caught.broken!.invariant}"`
      : `NOT CAUGHT by ${lived} seeds`;
    console.log(`${mutant.name} (${mutant.what}): ${verdict}`);
  }
  process.exitCode = missed > 0 ? 1 : 0;
}

if (values.seed !== undefined) await runOne(Number(values.seed));
else if (values.mutants) await runMutants();
else await runMany();
