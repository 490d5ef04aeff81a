import { describe, expect, test } from 'vitest';
import type { TreeChange } from '../protocol/index.ts';
import { toDefaultGrant } from './grant/bundle.ts';
import { review } from './review.ts';
import type { GateContext } from './rule.ts';

const context: GateContext = {
  grant: toDefaultGrant('/w'),
  mode: 'auto',
  patchApproval: false,
  workspace: '/w',
  home: '/home/k/.klaus',
  now: 0,
};
const file = { type: 'file' as const, hash: '0'.repeat(64), size: 1, mode: 0o644 };
const row = (path: string): TreeChange => ({ path, kind: 'created', before: null, after: file });
const look = (paths: string[], more: Partial<GateContext> = {}, scripts: string[] = []) =>
  review({ name: 'run_command', changes: paths.map(row), scripts }, { ...context, ...more });

describe('what a command changed', () => {
  test('is kept in mode auto and edits, asked about in mode ask, refused in mode plan', () => {
    expect(look(['src/a.ts']).verdict).toBe('allow');
    expect(look(['src/a.ts'], { mode: 'edits' }).verdict).toBe('allow');
    expect(look(['src/a.ts'], { mode: 'ask' }).verdict).toBe('ask');
    expect(look(['src/a.ts'], { mode: 'plan' }).verdict).toBe('deny');
  });

  test('is asked about under patch approval and isolation, in every mode', () => {
    for (const mode of ['edits', 'auto'] as const) {
      expect(look(['a'], { mode, patchApproval: true })).toMatchObject({ verdict: 'ask', rule: 'patch-approval' });
      expect(look(['a'], { mode, isolate: true })).toMatchObject({ verdict: 'ask', rule: 'isolate' });
    }
  });

  test("never reaches git's own data, and the rest is judged by itself", () => {
    expect(look(['.git/hooks/post-checkout', 'a.txt'])).toMatchObject({
      verdict: 'allow',
      refused: ['.git/hooks/post-checkout'],
    });
    expect(look(['.git/config'])).toMatchObject({ verdict: 'deny', refused: ['.git/config'] });
    expect(look(['sub/.GIT/config'])).toMatchObject({ verdict: 'deny' });
  });

  test('is asked about at protected places, secret files and package scripts', () => {
    for (const path of [
      'CLAUDE.md',
      '.github/workflows/x.yml',
      '.npmrc',
      '.klaus/policy.yaml',
      '.env',
      'deploy/id_rsa',
    ])
      expect(look([path]), path).toMatchObject({ verdict: 'ask', rule: 'path' });
    expect(look(['package.json'], {}, ['package.json'])).toMatchObject({ verdict: 'ask', rule: 'path' });
    expect(look(['conf/prod.yaml'], { secretPatterns: ['conf/*.yaml'] }).verdict).toBe('ask');
  });
});
