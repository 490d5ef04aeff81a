// Covers apps/web, scripts/web.ts: size of the first load.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildWeb } from '../../scripts/web.ts';
import { readFirstLoad } from '../fixtures/first-load.ts';

/** Maximum number of compressed bytes of the first load. */
const LIMIT = 300_000;

/** Chunks that are loaded on demand, by their file names. */
const LATER = [
  'highlight-worker',
  'overlays',
  'session-page',
  'review-dialog',
  'usage-page',
  'board-page',
  'agents-page',
  'settings-page',
  'first-start',
  'changes-view',
  'files-view',
  'gate-view',
  'debug-view',
  'diagram-frame',
  'render-diagram',
  'math-worker',
  'render-math',
  'html-preview',
  'table-view',
  'json-view',
  'image-diff',
];

const folder = mkdtempSync(join(tmpdir(), 'klaus-web-'));
beforeAll(() => buildWeb(folder), 60_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('the first load is within its limit', () => {
  const files = readFirstLoad(folder);
  expect(files.length).toBeGreaterThan(3);
  const bytes = files.reduce((sum, file) => sum + gzipSync(readFileSync(file)).length, 0);
  expect(bytes).toBeLessThan(LIMIT);
  // The files were found.
  expect(bytes).toBeGreaterThan(50_000);
});

test('views that are not needed at first have their own chunks', () => {
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
