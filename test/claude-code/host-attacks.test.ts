// Covers core/policy/shell/host, core/agent/calls, apps/claude-code/hooks: what a command runs where there is no sandbox.
// Dimensions: the harm (`HARMS`) × the way in which it comes to run (`VEHICLES`: directly, scripts of several kinds and
// writers, code of two languages, test runners, package scripts, makefiles). Each step is judged by the guard, and is run
// for real if it has no objection. Before scripts were judged, 433 of the 500 cases failed.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createGuard, type Guard } from '../../apps/claude-code/hooks/main.ts';
import { createKlaus, type Klaus } from '@klaus/sdk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { HARMLESS, HARMS } from './host-attacks/harms.ts';
import { type HostPlace, plant, runHarm, runSteps } from './host-attacks/run-case.ts';
import { VEHICLES } from './host-attacks/vehicles.ts';

/** `npm run test:guard` runs all. */
const COUNT = Number(process.env['HOST_CASES'] ?? 30);
const ALL = 500;

const pairs = VEHICLES.flatMap((vehicle, row) =>
  HARMS.flatMap((harm, column) => {
    const steps = vehicle.steps(harm);
    return steps === undefined
      ? []
      : [{ name: `${harm.name}: ${vehicle.name}`, harm, steps, order: (row * 31 + column * 17) % 97 }];
  }),
);
const cases = pairs.toSorted((a, b) => a.order - b.order).slice(0, ALL);
const chosen = cases.filter((_, at) => Math.floor((at * COUNT) / ALL) !== Math.floor(((at - 1) * COUNT) / ALL));

let place: HostPlace;
let klaus: Klaus;
let guard: Guard;
const home = process.env['HOME'];

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'klaus-host-'));
  place = { folder, home: join(folder, 'home'), project: join(folder, 'home/project') };
  plant(place);
  mkdirSync(join(folder, 'state'));
  process.env['HOME'] = place.home;
  klaus = await createKlaus({
    env: { HOME: place.home, PATH: process.env['PATH'] },
    home: join(folder, 'state'),
    cwd: place.project,
  });
  // The state folder of the place is the usual one; the events are kept elsewhere, so that planting does not remove them.
  const given = Object.create(klaus, { home: { value: join(place.home, '.klaus') } }) as Klaus;
  guard = createGuard({ klaus: given, mcp: 'judge', mode: 'strict', usdPerDay: 1, deadlineMs: 20_000 });
});

afterAll(async () => {
  process.env['HOME'] = home;
  await klaus[Symbol.asyncDispose]();
  rmSync(place.folder, { recursive: true, force: true });
});

test.for(chosen)('no effect: $name', { timeout: 60_000 }, async ({ harm, steps, name }) => {
  const { isHarmed, verdicts, reason } = await runHarm(guard, place, { steps, harm, session: name });
  expect(isHarmed, verdicts.join(' ')).toBe(false);
  // A guard that fails denies too, and proves nothing.
  expect(`${verdicts.at(-1)} ${reason}`).toMatch(/^(?:ask|deny) (?!The guard of Klaus failed)/);
});

const twins = VEHICLES.flatMap((vehicle) => {
  const steps = vehicle.steps({ shell: HARMLESS[0]!, python: 'print(1)', node: 'console.log(1);' });
  return steps === undefined ? [] : [{ name: vehicle.name, vehicle }];
});

test.for(twins)('no question about harmless work: $name', { timeout: 60_000 }, async ({ vehicle, name }) => {
  for (const [at, shell] of HARMLESS.entries()) {
    plant(place);
    const steps = vehicle.steps({ shell, python: 'print(1)', node: 'console.log(1);' })!;
    // In the home folder, everything is outside of the project.
    if (steps.some((step) => 'cwd' in step)) continue;
    const { verdicts, reason } = await runSteps(guard, place, { steps, session: `${name} ${at}` });
    expect(verdicts, reason).toEqual(steps.map(() => 'allow'));
  }
});
