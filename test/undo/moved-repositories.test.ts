// Covers adapters/workspace/snapshots/git, core/agent/git: repositories that a command moves keep their objects and refs through undo and redo.
import { expect } from 'vitest';
import { test } from '../fixtures/sandboxed.ts';
import { playMovedCase, seededMovedCase } from './moved-repositories.ts';

/** A sample; `npm run test:undo -- --runs 500` tries 500. */
const RUNS = Number(process.env['KLAUS_UNDO_RUNS'] ?? 0);
const ONLY = process.env['KLAUS_UNDO_SEED'];

/** A move, two repositories that swap their names, a file in the place of one, and one in which Klaus repairs a place. */
const SAMPLE = [1, 12, 19, 290];

const seeds =
  ONLY !== undefined
    ? ONLY.split(',').map(Number)
    : RUNS === 0
      ? SAMPLE
      : Array.from({ length: RUNS }, (_, i) => i + 1);

for (const seed of seeds) {
  const moved = seededMovedCase(seed);
  const { order, ...rest } = moved;
  test.concurrent(`${seed} ${Object.values(rest).join(', ')}: ${order.join(', ')}`, async () => {
    expect(await playMovedCase(moved)).toEqual([]);
  }, 600_000);
}
