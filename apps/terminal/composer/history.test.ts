import { appendFileSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openHistory } from './history.ts';

function openFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'klaus-history-'));
  return { folder, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
}

test('prompts of a project are kept in a file that only its user can read', () => {
  using home = openFolder();
  const history = openHistory(home.folder, '/a');
  history.add('one');
  history.add('two\nlines');
  history.add('two\nlines');
  expect(openHistory(home.folder, '/a').list()).toEqual(['one', 'two\nlines']);
  expect(openHistory(home.folder, '/b').list()).toEqual([]);
  const folder = join(home.folder, 'history');
  expect(readdirSync(folder).map((name) => statSync(join(folder, name)).mode & 0o777)).toEqual([0o600]);
});

test('a search finds all words in any case, the newest first and each prompt once', () => {
  using home = openFolder();
  const history = openHistory(home.folder, '/a');
  for (const prompt of ['Fix the test', 'write docs', 'test the fix', 'Fix the test']) history.add(prompt);
  expect(history.search('fix TEST')).toEqual(['Fix the test', 'test the fix']);
});

test('a damaged file is an empty history, and a long prompt is not kept', () => {
  using home = openFolder();
  openHistory(home.folder, '/a').add('one');
  const folder = join(home.folder, 'history');
  appendFileSync(join(folder, readdirSync(folder)[0]!), '{"no');
  const history = openHistory(home.folder, '/a');
  expect(history.list()).toEqual([]);
  history.add('x'.repeat(10_001));
  expect(history.list()).toEqual([]);
});
