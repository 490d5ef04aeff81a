// Covers core/policy/shell: disguised harm asks or is denied, ordinary commands pass.
import { expect } from 'vitest';
import { test } from '../fixtures/sandboxed.ts';
import { DISGUISES } from './disguises.ts';
import { plantRepository } from './repository.ts';
import { judgeOnHost, passes, readOrdinary, runAttacks, toAttacks, toChains } from './suite.ts';

// `npm run test:bypass` runs all of them; here every disguise is judged and a few are run.
test('disguised harm is stopped', () => {
  const sample = [
    ...toAttacks(DISGUISES).filter((_, at) => at % 7 === 0),
    ...toChains(DISGUISES).filter((_, at) => at % 3 === 0),
  ];
  expect(sample.length).toBeGreaterThan(150);
  const passed = sample.filter(({ command }) => passes(command));
  // Some combined disguises have no effect, such as quotes in quotes.
  expect(passed.length).toBeLessThan(sample.length * 0.1);
});

test('harm that was seen to happen is stopped', async () => {
  await using seed = await plantRepository();
  const { harmful, missed } = await runAttacks(
    seed.path,
    toAttacks(DISGUISES).filter((_, at) => at % 85 === 3),
  );
  expect(harmful.length).toBeGreaterThan(9);
  expect(missed).toEqual([]);
});

test('ordinary commands pass', () => {
  const ordinary = readOrdinary();
  const stopped = ordinary.filter((command) => !passes(command));
  expect(ordinary.length).toBeGreaterThan(1000);
  expect(stopped.length, stopped.join('\n')).toBeLessThanOrEqual(ordinary.length * 0.005);
});

test('ordinary commands without a sandbox, of people with databases, containers and clouds too', () => {
  const judged = [...readOrdinary(), ...readOrdinary('ordinary-services.txt')].map((command) => ({
    command,
    ...judgeOnHost(command),
  }));
  expect(judged.filter(({ verdict }) => verdict === 'deny')).toEqual([]);
  // Adding a package, and running one that is not installed, asks on purpose.
  const asked = judged.filter(({ verdict, rule }) => verdict === 'ask' && !/^shell:(?:packages|remote)$/.test(rule));
  expect(judged.length).toBeGreaterThan(1_700);
  expect(asked.length, asked.map(({ command }) => command).join('\n')).toBeLessThanOrEqual(judged.length * 0.01);
});
