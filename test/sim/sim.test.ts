// Covers core/agent, adapters/store: simulated sessions with faults keep every invariant.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { MUTANTS } from './mutants.ts';
import { createPlan } from './plan.ts';
import { toReport, toText } from './report.ts';
import { check } from './shrink.ts';
import { SqliteGround } from './stores/sqlite-ground.ts';
import { splitCases } from '../fixtures/split-cases.ts';

/** A sample; `npm run test:sim` simulates thousands. */
const SEEDS = 50;
const PART = 50;

const ground = new SqliteGround();
afterAll(() => ground[Symbol.asyncDispose]());

const seen = { crashes: 0, again: 0, approvals: 0, unknown: 0, abandoned: 0 };

for (let from = 1; from <= SEEDS; from += PART) {
  test(`no invariant breaks in the simulated lives ${from} to ${from + PART - 1}`, async () => {
    const broken: string[] = [];
    for (let seed = from; seed < from + PART; seed++) {
      const plan = createPlan(seed);
      const outcome = await check(ground, plan);
      if (outcome.broken) broken.push(toText(toReport(outcome, plan), { store: 'sqlite' }));
      seen.crashes += outcome.crashes;
      for (const event of outcome.events) {
        if (event.type === 'tool.started' && event.attempt > 1) seen.again++;
        if (event.type === 'approval.answered' && event.answer === 'approved') seen.approvals++;
        if (event.type === 'tool.finished' && event.outcome === 'unknown') seen.unknown++;
        if (event.type === 'model.attempted' && event.outcome === 'abandoned') seen.abandoned++;
      }
    }
    expect(broken.join('\n\n')).toBe('');
  }, 600_000);
}

test('the lives had crashes, repeated calls, approvals, unknown outcomes and abandoned requests in them', () => {
  for (const [what, count] of Object.entries(seen)) expect(count, what).toBeGreaterThan(0);
});

test('a seed gives the same run each time, and another seed gives another run', async () => {
  for (const seed of [3, 31, 44]) {
    const [one, other] = [await check(ground, createPlan(seed)), await check(ground, createPlan(seed))];
    expect(other.hash).toBe(one.hash);
    expect(other.trace).toEqual(one.trace);
    expect(other.events).toEqual(one.events);
  }
  expect((await check(ground, createPlan(3))).hash).not.toBe((await check(ground, createPlan(31))).hash);
});

describe('a deliberate bug is caught', () => {
  const run = (...words: string[]) =>
    spawnSync(process.execPath, [join(import.meta.dirname, 'run.ts'), ...words], { encoding: 'utf8' });

  for (const { cases, tags } of splitCases(
    ['emit-before-append', 'effect-before-intent', 'command-runs-again', 'gate-lets-pass'],
    1,
  ))
    test.each(cases)('%s', { timeout: 600_000, tags }, (name) => {
      const mutant = MUTANTS.find((one) => one.name === name)!;
      const { status, stdout, stderr } = run('--mutant', name, '--seeds', '100', '--jobs', '1', '--json');
      expect(stderr).toContain('broken');
      expect(status).toBe(1);
      const reports = stdout
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as { broken?: { invariant: string } });
      const found = reports.flatMap(({ broken }) => (broken ? [broken.invariant] : []));
      expect(found.length).toBeGreaterThan(0);
      expect(mutant.breaks).toEqual(expect.arrayContaining([found[0]]));
    });
});
