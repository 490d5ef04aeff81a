// Covers adapters/workspace/snapshots, core/agent/workspace: random histories of changes and undos.
import { expect, test } from 'vitest';
import { liveHistory, type Outcome } from './history.ts';

/** A sample; `npm run test:undo` runs many. */
const RUNS = Number(process.env['KLAUS_UNDO_RUNS'] ?? 10);
const ONLY = process.env['KLAUS_UNDO_SEED'];
const PART = 10;

const seeds = ONLY === undefined ? Array.from({ length: RUNS }, (_, i) => i + 1) : [Number(ONLY)];
const total: Outcome = { restored: 0, conflicts: 0, crashes: 0 };

for (let at = 0; at < seeds.length; at += PART) {
  const part = seeds.slice(at, at + PART);
  test(`random histories ${part[0]!} to ${part.at(-1)!} are restored byte for byte, or show the conflict`, async () => {
    const failed: string[] = [];
    for (const seed of part) {
      try {
        const outcome = await liveHistory(seed);
        for (const key of ['restored', 'conflicts', 'crashes'] as const) total[key] += outcome[key];
      } catch (error) {
        failed.push(
          `seed ${seed} (npm run test:undo -- --seed ${seed}): ${error instanceof Error ? error.stack : String(error)}`,
        );
      }
    }
    expect(failed.join('\n\n')).toBe('');
  }, 600_000);
}

test.skipIf(ONLY !== undefined)('the histories had restores, conflicts and crashes in them', () => {
  expect(total.restored).toBeGreaterThan(RUNS / 2);
  expect(total.conflicts).toBeGreaterThan(0);
  expect(total.crashes).toBeGreaterThan(0);
});
