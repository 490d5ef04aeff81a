// Covers docs/guides, apps/cli, apps/server, sdk: what each row of the guides from other products says is what runs.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { splitCases } from '../fixtures/split-cases.ts';
import { FROM_ABA } from './guide-rows/from-aba.ts';
import { FROM_KLAUS_CODE } from './guide-rows/from-klaus-code.ts';
import type { Checks } from './guide-rows/scene.ts';

const ROOT = join(import.meta.dirname, '../..');
const GUIDES: Readonly<Record<string, Checks>> = { 'from-aba.md': FROM_ABA, 'from-klaus-code.md': FROM_KLAUS_CODE };

/** The left column of each table, without its head. */
function readRows(guide: string): string[] {
  const text = readFileSync(join(ROOT, 'docs/guides', guide), 'utf8');
  const tables = text.split('\n\n').filter((part) => part.startsWith('| '));
  return tables.flatMap((table) => table.split('\n').slice(2)).flatMap((row) => /^\| (.*?) \| /.exec(row)?.[1] ?? []);
}

describe.each(Object.entries(GUIDES))('%s', (guide, rows) => {
  test('each row has a check', () => {
    expect(readRows(guide).toSorted()).toEqual(Object.keys(rows).toSorted());
    for (const check of Object.values(rows))
      if (typeof check === 'string' && check !== 'names')
        expect([check, existsSync(join(ROOT, check))]).toEqual([check, true]);
  });

  const run = Object.entries(rows).filter(([, check]) => typeof check === 'function');
  for (const { cases, tags } of splitCases(run, 5)) {
    test.each(cases)('%s', { tags }, async (_, check) => {
      expect.hasAssertions();
      await (check as () => Promise<void>)();
    });
  }
});
