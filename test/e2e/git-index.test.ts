// Covers adapters/workspace: the trees that the index of git caches.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { createTestHome, type TestHome } from '../fixtures/test-home.ts';
import { repairIndex } from '../../adapters/workspace/git-index.ts';

const NO_EDITS = { restored: new Set<string>(), unflagged: new Set<string>() };

const git = ({ workspace, env }: TestHome, ...words: string[]): string =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@localhost', ...words], {
    cwd: workspace,
    env,
    stdio: 'pipe',
  }).toString();

const readIndex = ({ workspace }: TestHome): Buffer => readFileSync(join(workspace, '.git/index'));

function write({ workspace }: TestHome, path: string, text = `${path}\n`): void {
  mkdirSync(dirname(join(workspace, path)), { recursive: true });
  writeFileSync(join(workspace, path), text);
}

/** What git writes after each step. */
const STEPS: readonly ((place: TestHome) => void)[] = [
  (place) => {
    for (const path of ['a.txt', 'a/b.txt', 'a-b/c', 'a.b/c', 'a/b/c/d.txt', 'ä/ö.txt', 'z']) write(place, path);
    write(place, 'run.sh');
    chmodSync(join(place.workspace, 'run.sh'), 0o755);
    symlinkSync('a.txt', join(place.workspace, 'link'));
    git(place, 'add', '-A');
  },
  (place) => git(place, 'write-tree'),
  (place) => git(place, 'commit', '-q', '-m', 'one'),
  (place) => {
    write(place, 'a/b/c/d.txt', 'changed\n');
    git(place, 'add', 'a/b/c/d.txt');
  },
  (place) => git(place, 'commit', '-q', '-m', 'two'),
  (place) => git(place, 'read-tree', 'HEAD'),
  (place) => git(place, 'rm', '-q', '-r', '--cached', 'a'),
  (place) => git(place, 'reset', '-q', '--hard'),
  (place) => {
    write(place, 'later.txt');
    git(place, 'add', '-N', 'later.txt');
  },
  (place) => git(place, 'update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},module`),
  (place) => git(place, 'update-index', '--index-version', '4'),
];

test('the cached trees of an index that git wrote are those of its entries', () => {
  using place = createTestHome();
  for (const [at, step] of STEPS.entries()) {
    step(place);
    const after = readIndex(place);
    expect(repairIndex({ before: undefined, after }, NO_EDITS), `step ${at}`).toBeUndefined();
  }
});

test('an index with another cached tree is written without it', () => {
  using place = createTestHome({ 'a/b.txt': 'b\n' });
  git(place, 'write-tree');
  const after = readIndex(place);
  const at = after.indexOf('TREE');
  const root = Buffer.from(git(place, 'rev-parse', 'HEAD^{tree}').trim(), 'hex');
  after[after.indexOf(root, at)]! ^= 1;
  const repaired = repairIndex({ before: undefined, after }, NO_EDITS)!;
  expect(Buffer.from(repaired).includes('TREE')).toBe(false);
  writeFileSync(join(place.workspace, '.git/index'), repaired);
  expect(git(place, 'status', '--porcelain')).toBe('');
  expect(git(place, 'write-tree')).toBe(git(place, 'rev-parse', 'HEAD^{tree}'));
});
