// Covers adapters/workspace: the trees that the index of git caches, and what changed between two indexes.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { createTestHome, type TestHome } from '../fixtures/test-home.ts';
import { createRandom, type Random } from '../network/cases.ts';
import { compareIndexes, repairIndex } from '../../adapters/workspace/git-index/git-index.ts';

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
    expect(compareIndexes(undefined, readIndex(place))?.isForged, `step ${at}`).toBe(false);
  }
});

test('an index with another cached tree is written without it', () => {
  using place = createTestHome({ 'a/b.txt': 'b\n' });
  git(place, 'write-tree');
  const after = readIndex(place);
  const at = after.indexOf('TREE');
  const root = Buffer.from(git(place, 'rev-parse', 'HEAD^{tree}').trim(), 'hex');
  after[after.indexOf(root, at)]! ^= 1;
  expect(compareIndexes(undefined, after)?.isForged).toBe(true);
  const repaired = repairIndex({ before: undefined, after }, NO_EDITS)!;
  expect(Buffer.from(repaired).includes('TREE')).toBe(false);
  writeFileSync(join(place.workspace, '.git/index'), repaired);
  expect(git(place, 'status', '--porcelain')).toBe('');
  expect(git(place, 'write-tree')).toBe(git(place, 'rev-parse', 'HEAD^{tree}'));
});

const MODES = ['100644', '100755', '120000', '160000'];
const toId = (random: Random): string =>
  Array.from({ length: 40 }, () => Math.trunc(random() * 16).toString(16)).join('');

/** Entries in long equal runs, as in the index of a large repository. */
function toRandomChange(random: Random, entries: ReadonlyMap<string, string>): Map<string, string> {
  const changed = new Map(entries);
  const names = [...entries.keys()];
  for (let count = random() * 6; count > 0; count--) {
    const at = Math.trunc(random() * names.length);
    if (random() < 0.4) for (const name of names.slice(at, at + 1 + random() * 90)) changed.delete(name);
    else if (random() < 0.5) changed.set(`${names[at]}${random() < 0.5 ? '0' : '/x'}`, `100644 ${toId(random)}`);
    else changed.set(names[at] ?? 'a', `${MODES[Math.trunc(random() * 4)]} ${toId(random)}`);
  }
  return changed;
}

test.for([2, 4])('what changed between two indexes of version %i is what differs between their lists', (version) => {
  using place = createTestHome();
  const random = createRandom(version);
  git(place, 'init', '-q');
  const write = (entries: ReadonlyMap<string, string>): { bytes: Buffer; lines: string[] } => {
    git(place, 'read-tree', '--empty');
    const input = [...entries].map(([path, entry]) => `${entry}\t${path}\n`).join('');
    execFileSync('git', ['update-index', `--index-version=${version}`, '--add', '--replace', '--index-info'], {
      cwd: place.workspace,
      env: place.env,
      input,
    });
    return { bytes: readIndex(place), lines: git(place, 'ls-files', '--stage').split('\n').filter(Boolean) };
  };
  let entries = new Map<string, string>(
    Array.from({ length: 700 }, (_, n) => [`d${Math.trunc(n / 40)}/f${n}.ts`, `100644 ${toId(random)}`] as const),
  );
  let before = write(entries);
  for (let round = 0; round < 12; round++) {
    entries = toRandomChange(random, entries);
    const after = write(entries);
    const old = new Set(before.lines);
    const { changes } = compareIndexes(before.bytes, after.bytes)!;
    const lines = changes.map(({ mode, blob, stage, path }) => `${mode} ${blob} ${stage}\t${path}`);
    expect(lines, `round ${round}`).toEqual(after.lines.filter((line) => !old.has(line)));
    const known = new Map(before.lines.map((line) => [line.slice(line.indexOf('\t') + 1), line]));
    for (const { path, before: was } of changes)
      expect(was && `${was.mode} ${was.blob} ${was.stage}\t${was.path}`).toBe(known.get(path));
    before = after;
  }
});
