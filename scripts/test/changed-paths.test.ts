import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findChanges, readCommit } from './changed-paths.ts';

let root: string;

function git(...words: string[]): string {
  const identity = ['-c', 'user.name=A', '-c', 'user.email=a@example.com'];
  const { status, stdout, stderr } = spawnSync('git', [...identity, ...words], { cwd: root, encoding: 'utf8' });
  expect(stderr === '' || status === 0, stderr).toBe(true);
  return stdout.trim();
}

function commit(name: string): string {
  writeFileSync(join(root, name), name);
  git('add', '.');
  git('commit', '-q', '-m', name);
  return git('rev-parse', 'HEAD');
}

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'klaus-changes-'));
  git('init', '-q');
});
afterEach(() => rmSync(root, { recursive: true }));

test('the parent commit is the base, else the last tag, else what CI_BASE names', () => {
  const first = commit('one.ts');
  commit('two.ts');
  const last = commit('three.ts');
  expect(readCommit(root)).toBe(last);
  expect(findChanges(root, {})).toEqual({ base: 'HEAD^', paths: ['three.ts'] });
  git('tag', 'v1', 'HEAD^');
  commit('four.ts');
  expect(findChanges(root, {})).toEqual({ base: 'v1', paths: ['four.ts', 'three.ts'] });
  expect(findChanges(root, { CI_BASE: first })?.paths).toEqual(['four.ts', 'three.ts', 'two.ts']);
});

test('uncommitted, untracked, deleted and renamed files count, also with unusual names', () => {
  commit('old.ts');
  commit('other.ts');
  git('mv', 'old.ts', 'new.ts');
  writeFileSync(join(root, 'ä "b".ts'), '');
  expect(new Set(findChanges(root, {})?.paths)).toEqual(new Set(['new.ts', 'old.ts', 'other.ts', 'ä "b".ts']));
});

test('without a base, what changed is not known; a wrong CI_BASE is an error', () => {
  expect(findChanges(root, {})).toBeUndefined();
  commit('one.ts');
  expect(findChanges(root, {})).toBeUndefined();
  expect(() => findChanges(root, { CI_BASE: 'missing' })).toThrow('CI_BASE');
});
