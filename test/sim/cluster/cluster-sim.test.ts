// Covers adapters/store/postgres, adapters/scheduler, sdk/cluster: simulated lives over Postgres, with both schedulers, keep every invariant.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MUTANTS } from '../mutants.ts';
import { findMissing, startServices, type GroundKind, type Services } from '../open-ground.ts';
import { catchMutant, simulateRange } from '../pool.ts';
import { toText, type Report } from '../report.ts';
import { splitCases } from '../../fixtures/split-cases.ts';

const STORE: GroundKind = { store: 'postgres' };
const EMBEDDED: GroundKind = { store: 'postgres', scheduler: 'embedded' };
const TEMPORAL: GroundKind = { store: 'postgres', scheduler: 'temporal' };

/** A seed that catches each mutant, so that few lives are enough. Later ones catch it as well. */
const CAUGHT_BY: Readonly<Record<string, number>> = {
  'claim-over-holder': 4,
  'late-claim': 3,
  'append-without-fence': 2,
  'sweep-does-nothing': 9,
  'upload-after-event': 3,
  'blob-after-event': 6,
  'other-worker-runs-again': 6,
};

/** Simulates samples; `npm run test:sim` simulates thousands. */
describe.skipIf(findMissing(STORE) !== undefined)('simulated lives over Postgres (needs Postgres)', () => {
  const stack = new AsyncDisposableStack();
  let services: Services;
  beforeAll(async () => void (services = stack.use(await startServices(STORE))));
  afterAll(() => stack.disposeAsync());

  test('a life has the same steps and the same events as over SQLite', async () => {
    const lives = await simulate(services, STORE, { from: 1, count: 16 });
    expect(lives.reduce((sum, { crashes }) => sum + crashes, 0)).toBeGreaterThan(0);
  }, 600_000);

  test('no invariant breaks with two workers in simulated time', async () => {
    const lives = await simulate(services, EMBEDDED, { from: 1, count: 8 });
    for (const key of ['crashes', 'stops', 'lostWakes', 'lostAttempts'] as const)
      expect(
        lives.reduce((sum, life) => sum + life[key], 0),
        key,
      ).toBeGreaterThan(0);
  }, 600_000);

  test('a seed gives the same life of two workers each time', { timeout: 600_000, tags: ['long'] }, async () => {
    const [one, other] = await Promise.all([3, 3].map((from) => simulate(services, EMBEDDED, { from, count: 1 })));
    expect(one![0]!.events).toBeGreaterThan(0);
    expect(other).toEqual(one);
  });

  for (const { cases, tags } of splitCases(
    MUTANTS.filter(({ isOfCluster }) => isOfCluster),
    2,
  ))
    test.concurrent.each(cases)('a deliberate bug is caught: $what', { timeout: 600_000, tags }, async (mutant) => {
      const range = { services, kind: EMBEDDED, from: CAUGHT_BY[mutant.name]!, count: 40 };
      const { caught } = await catchMutant(mutant, range);
      expect(mutant.breaks).toContain(caught?.broken?.invariant);
    });
});

describe.skipIf(findMissing(TEMPORAL) !== undefined)(
  'simulated lives with Temporal (needs Postgres and Temporal)',
  () => {
    test('no invariant breaks with two workers', async () => {
      await using services = await startServices(TEMPORAL);
      const lives = await simulate(services, TEMPORAL, { from: 2, count: 4 });
      expect(lives.reduce((sum, { stops }) => sum + stops, 0)).toBeGreaterThan(0);
    }, 600_000);
  },
);

/** Fails with the report of each broken life. */
async function simulate(
  services: Services,
  kind: GroundKind,
  range: { from: number; count: number },
): Promise<Report[]> {
  const lives: Report[] = [];
  const isEnough = (life: Report): boolean => {
    lives.push(life);
    return false;
  };
  await simulateRange({ ...range, services, kind, jobs: Math.min(2, range.count), isEnough });
  const broken = lives.flatMap(({ broken: found, plan, ...life }) =>
    found && plan ? [toText({ ...life, broken: found, plan }, kind)] : [],
  );
  expect(broken.join('\n\n')).toBe('');
  expect(lives).toHaveLength(range.count);
  return lives;
}
