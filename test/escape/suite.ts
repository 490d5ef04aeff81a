import { afterAll, describe, expect, test } from 'vitest';
import { probeSandboxes } from '@klaus/adapters/sandboxes';
import type { EscapeCase } from './case.ts';
import { callCases } from './cases-calls.ts';
import { fileCases } from './cases-files.ts';
import { gitCases } from './cases-git.ts';
import { networkCases } from './cases-network.ts';
import { processCases } from './cases-processes.ts';
import { resourceCases } from './cases-resources.ts';
import { prepareDocker, type Prepared } from './prepare-docker.ts';
import { attempt, type Driver } from './run-case.ts';
import { createWorld, findNoBase } from './world.ts';

const CASES = [...fileCases, ...gitCases, ...processCases, ...resourceCases, ...networkCases, ...callCases];

async function findNoDriver(driver: Driver): Promise<string | undefined> {
  const missing = findNoBase();
  if (missing !== undefined) return missing;
  await using world = await createWorld();
  const found = (await probeSandboxes({ home: world.home })).find(({ name }) => name === driver);
  return found?.available ? undefined : `no ${driver}: ${found?.reason}`;
}

/**
 * Declares the tests: each attack is prevented, and succeeds without its controls.
 *
 * @param options.every Selects every nth case; 1 selects all.
 * @param options.prepared What the driver needs. Default: it is prepared here.
 */
export async function declareEscapes(options: { every: number; driver: Driver; prepared?: Prepared }): Promise<void> {
  const { every, driver } = options;
  const engine = options.prepared ?? (driver === 'docker' ? await prepareDocker() : undefined);
  const reason = engine?.reason ?? (engine?.toOptions ? undefined : await findNoDriver(driver));
  let limits: string[] = [];
  const counts = { tried: 0, escapes: 0, proven: 0, missing: 0 };
  const isRoot = process.getuid?.() === 0;
  const cases = CASES.filter((_, index) => index % every === 0);

  describe.skipIf(reason !== undefined)(`${driver} prevents ${reason ? `(${reason})` : ''}`, () => {
    const toLimit = ({ dockerLimit, podLimit }: EscapeCase) =>
      driver === 'bubblewrap' ? undefined : (dockerLimit ?? (driver === 'kubernetes' ? podLimit : undefined));
    const isLimit = (each: EscapeCase) => toLimit(each) !== undefined;
    const prevented = cases.filter((each) => !isLimit(each));
    limits = cases.filter(isLimit).map((each) => `${each.name}: ${toLimit(each)}`);
    test.each(prevented.map((each) => [each.name, each] as const))('%s', async (_, escape) => {
      const { harmed, missing, result } = await attempt(escape, driver, engine?.toOptions);
      if (missing) counts.missing++;
      else counts.tried++;
      if (harmed) counts.escapes++;
      expect(harmed, `${result?.output.slice(0, 2_000)}`).toBe(false);
    });
  });

  describe.skipIf(reason !== undefined || driver !== 'bubblewrap')('without its controls the attack succeeds', () => {
    for (const escape of cases) {
      const controls = escape.without.join(', ');
      test.skipIf(escape.rootProof === true && !isRoot)(`${escape.name} (${controls})`, async () => {
        const { harmed, missing, result } = await attempt(escape, 'bare');
        if (missing) return;
        if (harmed) counts.proven++;
        expect(harmed, `${result?.output.slice(0, 2_000)} ${result?.exceeded?.join() ?? ''}`).toBe(true);
      });
    }
  });

  afterAll(async () => {
    await engine?.close?.();
    const { tried, escapes, proven, missing } = counts;
    const left = missing > 0 ? `, ${missing} without their program` : '';
    console.log(`escape, ${driver}: ${tried} cases, ${escapes} escapes, ${proven} proven${left}`);
    for (const limit of limits) console.log(`not tried, a documented limit: ${limit}`);
  });
}
