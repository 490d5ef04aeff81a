// Covers scripts, klaus: a new clone sets itself up.
// @module-tag long
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { canActAsOrdinaryUser, OrdinaryUser } from '../fixtures/ordinary-user.ts';

const ROOT = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'klaus-fresh-clone-'));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.skipIf(!canActAsOrdinaryUser)(
  'in a fresh clone, without bubblewrap and without root, the demo and the tests of sandboxed commands pass',
  () => {
    const user = new OrdinaryUser(join(folder, 'home'));
    const clone = join(user.home, 'klaus');
    execFileSync('git', ['clone', '-q', '--no-hardlinks', ROOT, clone]);
    user.own(clone);
    const run = (...words: string[]) => {
      const { status, stdout, stderr } = user.run(words, clone);
      return { status, text: stdout + stderr };
    };

    const demo = run('./klaus', 'demo');
    expect(demo).toMatchObject({ status: 0 });
    expect(demo.text).toContain('sandbox bubblewrap');

    const tested = run('npm', 'test', '--', 'e2e/git-commit');
    expect(tested).toMatchObject({ status: 0 });
    expect(tested.text).toContain('fetching bubblewrap');
    expect(tested.text.trimEnd().split('\n').at(-1)).toMatch(/^[1-9]\d* passed, 0 failed, 0 skipped$/);
  },
  600_000,
);
