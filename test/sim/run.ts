// `npm run test:sim [-- --seeds 20000] [-- --from 1] [-- --jobs 2] [-- --json]`: many simulated sessions.
// `npm run test:sim -- --seed N`: one seed, twice, with all its steps. `-- --mutants`: builds with deliberate bugs.
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { MUTANTS } from './mutants.ts';
import { createPlan } from './plan.ts';
import { toText, type Report } from './report.ts';
import { check } from './shrink.ts';
import { SqliteGround } from './stores/sqlite-ground.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '2000' },
    from: { type: 'string', default: '1' },
    jobs: { type: 'string', default: String(Math.min(2, availableParallelism())) },
    seed: { type: 'string' },
    json: { type: 'boolean', default: false },
    mutant: { type: 'string' },
    mutants: { type: 'boolean', default: false },
  },
});

/** Real milliseconds after which a seed counts as hanging, such as in an endless loop. */
const HANGS_AFTER_MS = 180_000;
/** Maximum broken seeds before the run ends. */
const MAX_BROKEN = 5;

interface Range {
  from: number;
  count: number;
  jobs: number;
  mutant?: string | undefined;
  /** True to end the run. */
  isEnough: (report: Report) => boolean;
}

/** Simulates a range of seeds in worker threads, in any order. */
async function run(range: Range): Promise<void> {
  let next = range.from;
  let isOver = false;
  const work = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const worker = new Worker(join(import.meta.dirname, 'worker.ts'), { workerData: { mutant: range.mutant } });
      let watch: NodeJS.Timeout | undefined;
      const give = (): void => {
        clearTimeout(watch);
        if (isOver || next >= range.from + range.count) return worker.postMessage(undefined);
        const seed = next++;
        watch = setTimeout(() => {
          isOver = true;
          void worker.terminate();
          reject(new Error(`seed ${seed} hangs: no step ended within ${HANGS_AFTER_MS / 1_000} s`));
        }, HANGS_AFTER_MS);
        worker.postMessage(seed);
      };
      worker.on('message', (report: Report) => {
        isOver ||= range.isEnough(report);
        give();
      });
      worker.on('error', reject);
      worker.on('exit', () => resolve());
      give();
    });
  await Promise.all(Array.from({ length: range.jobs }, work));
}

/** Simulates many seeds. The exit code is 1 if an invariant broke. */
async function runMany(): Promise<void> {
  const begun = performance.now();
  const sum = { seeds: 0, broken: 0, steps: 0, events: 0, crashes: 0 };
  const seconds = (): number => (performance.now() - begun) / 1_000;
  const isEnough = (report: Report): boolean => {
    sum.seeds++;
    for (const key of ['steps', 'events', 'crashes'] as const) sum[key] += report[key];
    if (values.json) console.log(JSON.stringify(report));
    else if (report.broken) console.log(`${toText(report)}\n`);
    else if (sum.seeds % 1_000 === 0)
      console.error(`${sum.seeds} seeds, ${(sum.seeds / seconds()).toFixed(1)} a second`);
    return report.broken !== undefined && ++sum.broken >= MAX_BROKEN;
  };
  const range = { from: Number(values.from), count: Number(values.seeds), jobs: Number(values.jobs) };
  await run({ ...range, mutant: values.mutant, isEnough });
  const text =
    `${sum.seeds} seeds from ${values.from}: ${sum.broken} broken; ${sum.steps} steps, ${sum.events} events, ` +
    `${sum.crashes} crashes; ${seconds().toFixed(0)} s, ${(sum.seeds / seconds()).toFixed(1)} seeds a second`;
  if (values.json) console.error(text);
  else console.log(text);
  process.exitCode = sum.broken > 0 || sum.seeds === 0 ? 1 : 0;
}

/** Simulates one seed twice: both must be equal. */
async function runOne(seed: number): Promise<void> {
  await using ground = new SqliteGround();
  const plan = createPlan(seed);
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
  if (second.hash !== hash) console.error(`It cannot be replayed: the second life has the hash ${second.hash}.`);
  process.exitCode = broken || second.hash !== hash ? 1 : 0;
}

/** Simulates every mutant until it is caught. A mutant that is not caught fails the run. */
async function runMutants(): Promise<void> {
  let missed = 0;
  for (const { name, what, breaks } of MUTANTS) {
    let caught: Report | undefined;
    let lived = 0;
    const isEnough = (report: Report): boolean => {
      lived++;
      if (report.broken && breaks.includes(report.broken.invariant)) caught ??= report;
      return caught !== undefined;
    };
    await run({ from: Number(values.from), count: Number(values.seeds), jobs: 1, mutant: name, isEnough });
    if (!caught) missed++;
    const verdict = caught
      ? `caught after ${lived} seeds by "${caught.broken!.invariant}"`
      : `NOT CAUGHT by ${lived} seeds`;
    console.log(`${name} (${what}): ${verdict}`);
  }
  process.exitCode = missed > 0 ? 1 : 0;
}

if (values.seed !== undefined) await runOne(Number(values.seed));
else if (values.mutants) await runMutants();
else await runMany();
