import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openEndedSignIns } from './ended-sign-ins.ts';

test('what was ended stays ended after a restart, until its cookie has expired', () => {
  const folder = mkdtempSync(join(tmpdir(), 'klaus-ended-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'ended');
  const first = openEndedSignIns(file);
  expect(first.has('a')).toBe(false);
  first.add({ id: 'old', until: Date.now() - 1 });
  first.add({ id: 'a', until: Date.now() + 60_000 });
  first.add({ id: 'b', until: Date.now() + 60_000 });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const second = openEndedSignIns(file);
  expect(['a', 'b', 'old', 'c'].filter((id) => second.has(id))).toEqual(['a', 'b']);
  expect(readFileSync(file, 'utf8').trim().split('\n')).toHaveLength(2);
});
