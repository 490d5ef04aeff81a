import { afterAll, describe, expect } from 'vitest';
import { test } from '../fixtures/sandboxed.ts';
import type { DenyCase } from './case.ts';
import { gitCases } from './cases-git.ts';
import { shellCases } from './cases-shell.ts';
import { toolCases } from './cases-tools.ts';
import { readHarmless, runBare, runGuarded } from './harmless.ts';
import { isProven, tryCase, type Trial } from './run-case.ts';

export const CASES: readonly DenyCase[] = [...shellCases, ...gitCases, ...toolCases];

const TRIALS: readonly Trial[] = [
  { door: 'gate', tracked: false },
  { door: 'hidden', tracked: false },
  { door: 'gate', tracked: true },
  { door: 'hidden', tracked: true },
];

/** False where redaction alone would have to see through two layers. */
function isHeld(denied: DenyCase, { door, tracked }: Trial): boolean {
  return !(denied.layered === true && tracked && door === 'hidden');
}

/**
 * Declares the tests: no canary leaks with any of the controls.
 *
 * @param every Takes each so many'th case; 1 is all of them, and proves that each leaks without protection.
 */
export function declareDenials(every: number): void {
  const cases = CASES.filter((_, index) => index % every === 0);
  const counts = { tried: 0, leaks: 0, proven: 0, lines: 0, harmless: 0, same: 0 };
  for (const trial of TRIALS) {
    const how = trial.door === 'gate' ? 'through the gate' : 'from a script, with a user who approves';
    describe(`${trial.tracked ? 'secrets in git' : 'secrets out of git'}, ${how}`, () => {
      for (const [index, denied] of cases.entries()) {
        // The sample takes each case on one of the four ways.
        if (!isHeld(denied, trial) || (every > 1 && index % TRIALS.length !== TRIALS.indexOf(trial))) continue;
        test(denied.name, async () => {
          const { leaks, outcomes } = await tryCase(denied, trial);
          counts.tried++;
          if (leaks.length > 0) counts.leaks++;
          expect(leaks, outcomes.join('\n')).toEqual([]);
          expect(outcomes.length).toBeGreaterThan(0);
        });
      }
    });
  }
  describe('without protection', () => {
    // A sample proves one of its own cases.
    for (const denied of every > 1 ? CASES.slice(0, 1) : CASES) {
      if (!denied.calls.every((call) => typeof call !== 'object')) continue;
      test(denied.name, async () => {
        counts.lines++;
        if (await isProven(denied)) counts.proven++;
      });
    }
  });
  describe('a harmless command says and does the same', () => {
    const commands = readHarmless().filter((_, index) => every === 1 || index % (every * 2) === 0);
    for (const command of commands) {
      test(command, async () => {
        const guarded = await runGuarded(command);
        counts.harmless++;
        expect(guarded).toEqual(await runBare(command));
        counts.same++;
      });
    }
  });
  afterAll(() => {
    const { tried, leaks, proven, lines, harmless, same } = counts;
    const proof = lines > 0 ? `; without protection ${proven} of ${lines} leak` : '';
    console.log(
      `deny: ${CASES.length} cases, ${tried} trials, ${leaks} leaks${proof}; ${same} of ${harmless} harmless commands the same`,
    );
  });
}
