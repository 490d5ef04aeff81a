import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildWeb } from '../../scripts/web.ts';
import { readFirstLoad } from '../fixtures/first-load.ts';

/** Bytes that may come over the wire before a person can begin. */
const LIMIT = 300_000;

/** What is fetched when it is first shown, by the names of its files: colours of code, a review, plots, other screens. */
const LATER = ['highlight-worker', 'review-dialog', 'usage-page', 'changes-view', 'files-view', 'gate-view'];

const folder = mkdtempSync(join(tmpdir(), 'klaus-web-'));
beforeAll(() => buildWeb(folder), 60_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('the first load stays small', () => {
  const files = readFirstLoad(folder);
  expect(files.length).toBeGreaterThan(3);
  const bytes = files.reduce((sum, file) => sum + gzipSync(readFileSync(file)).length, 0);
  expect(bytes).toBeLessThan(LIMIT);
  // Not because something is missing.
  expect(bytes).toBeGreaterThan(50_000);
});

test('what is not needed at first is in files of its own', () => {
  const first = readFirstLoad(folder).map((file) => basename(file));
  const scripts = readdirSync(join(folder, 'assets')).filter((name) => name.endsWith('.js'));
  for (const name of LATER) {
    expect(
      scripts.some((it) => it.startsWith(`${name}-`)),
      `${name} is a file`,
    ).toBe(true);
    expect(
      first.filter((it) => it.startsWith(`${name}-`)),
      name,
    ).toEqual([]);
  }
});
