// Covers core/agent/authors, core/agent/workspace: undo of one of three authors in one folder.
import { expect, test } from 'vitest';
import { liveAuthors, type AuthorCounts } from './authors.ts';

/** A sample; `npm run test:undo` runs 500. */
const RUNS = Number(process.env['KLAUS_AUTHOR_RUNS'] ?? 3);
const ONLY = process.env['KLAUS_AUTHOR_SEED'];
const PART = 3;

const seeds = ONLY === undefined ? Array.from({ length: RUNS }, (_, i) => i + 1) : [Number(ONLY)];
const counts: AuthorCounts = { histories: 0, own: 0, ordinary: 0, ordinaryUnclear: 0, others: 0, mixed: 0 };

for (let at = 0; at < seeds.length; at += PART) {
  const part = seeds.slice(at, at + PART);
  test(`an undo loses nothing of the others: histories ${part[0]!} to ${part.at(-1)!}`, async () => {
    const failed: string[] = [];
    for (const seed of part) {
      try {
        await liveAuthors(seed, counts);
      } catch (error) {
        const text = error instanceof Error ? error.stack : String(error);
        failed.push(`seed ${seed} (npm run test:undo -- --author-seed ${seed}): ${text}`);
      }
    }
    expect(failed.join('\n\n')).toBe('');
  }, 600_000);
}

test.skipIf(ONLY !== undefined)('the histories had all kinds of authors, and few own changes were unclear', () => {
  expect(counts.own).toBeGreaterThan(RUNS / 2);
  expect(counts.others).toBeGreaterThan(RUNS / 2);
  if (RUNS >= 100) console.info(JSON.stringify(counts));
  expect(counts.ordinaryUnclear).toBeLessThanOrEqual(counts.ordinary / 100);
});
