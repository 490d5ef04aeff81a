import { describe, expect, test } from 'vitest';
import { combine, decide } from './gate.ts';
import { toDefaultGrant } from './grant/bundle.ts';
import type { CallFacts, GateContext, Rule } from './rule.ts';
import type { Access, Effect, Mode } from '../protocol/index.ts';

const context = (mode: Mode, more: Partial<GateContext> = {}): GateContext => ({
  grant: toDefaultGrant('/project'),
  mode,
  patchApproval: false,
  workspace: '/project',
  home: '/home/me/.klaus',
  now: 0,
  ...more,
});

const call = (effects: Effect[], access: Access[] = [], more: Partial<CallFacts> = {}): CallFacts => ({
  name: 'some_tool',
  effects,
  access,
  altered: false,
  ...more,
});

const write = (path: string): Access => ({ kind: 'fs', path, right: 'w' });
const read = (path: string): Access => ({ kind: 'fs', path, right: 'r' });
const verdictOf = (facts: CallFacts, gate: GateContext) => decide(facts, gate).verdict;

describe('modes', () => {
  test.each<[Mode, string, string, string]>([
    ['plan', 'allow', 'deny', 'deny'],
    ['ask', 'allow', 'ask', 'ask'],
    ['edits', 'allow', 'allow', 'ask'],
    ['auto', 'allow', 'allow', 'allow'],
  ])('%s: reading %s, writing %s, executing %s', (mode, reading, writing, executing) => {
    expect(verdictOf(call(['read'], [read('/project/a')]), context(mode))).toBe(reading);
    expect(verdictOf(call(['write'], [write('/project/a')]), context(mode))).toBe(writing);
    expect(verdictOf(call(['execute'], [{ kind: 'exec', command: 'ls' }]), context(mode))).toBe(executing);
  });

  test('patch approval asks before every file change in every mode', () => {
    const gate = context('auto', { patchApproval: true });
    expect(verdictOf(call(['write'], [write('/project/a')]), gate)).toBe('ask');
    expect(verdictOf(call(['read'], [read('/project/a')]), gate)).toBe('allow');
  });

  test.each<Mode>(['plan', 'ask', 'edits', 'auto'])('%s: a plan asks, and a command of the user passes', (mode) => {
    expect(decide(call([], [], { plan: true }), context(mode))).toMatchObject({ verdict: 'ask', rule: 'plan' });
    const run = (command: string, more: Partial<GateContext> = {}) =>
      verdictOf(call(['execute'], [{ kind: 'exec', command }], { byUser: true }), context(mode, more));
    expect(run('ls')).toBe('allow');
    // Nothing but the mode is left out.
    expect(run('rm -rf .git')).toBe('deny');
    expect(run('cp a .vscode/tasks.json')).toBe('ask');
    expect(run('ls', { grant: { authorities: [] } })).toBe('deny');
  });
});

test.each<[Mode, string, string]>([
  ['ask', 'git push --force origin main', 'ask'],
  ['ask', 'git push --force; rm -rf .git', 'deny'],
  ['ask', 'rm -rf .git', 'deny'],
  ['auto', 'git push --force origin main', 'deny'],
  ['edits', 'git push origin :main', 'deny'],
])('%s: overwriting a remote branch is a decision of a person: %s', (mode, command, verdict) => {
  expect(verdictOf(call(['execute'], [{ kind: 'exec', command }]), context(mode))).toBe(verdict);
});

test.each<Mode>(['plan', 'ask', 'edits', 'auto'])(
  '%s: a call that the user confirms never passes by itself',
  (mode) => {
    const confirmed = decide(
      call(['execute'], [{ kind: 'exec', command: 'ls' }], { confirm: 'it deletes' }),
      context(mode),
    );
    expect(confirmed.verdict).toBe(mode === 'plan' ? 'deny' : 'ask');
    expect(confirmed.findings).toContainEqual({ rule: 'confirm', verdict: 'ask', reason: 'it deletes' });
  },
);

describe('authority', () => {
  test('the network is wider than the default grant, so it asks', () => {
    const decision = decide(call(['execute'], [{ kind: 'net', host: '*', port: 0 }]), context('auto'));
    expect(decision).toMatchObject({ verdict: 'ask', rule: 'grant' });
  });

  test('a tool that the grant does not name is denied', () => {
    const grant = { authorities: toDefaultGrant('/project').authorities.filter((item) => item.kind !== 'tool') };
    expect(verdictOf(call(['read']), context('auto', { grant }))).toBe('deny');
  });

  test('read authority is not write authority', () => {
    const grant = {
      authorities: [
        { kind: 'tool' as const, name: '*' },
        { kind: 'fs' as const, path: '/project', rights: 'r' as const },
      ],
    };
    expect(verdictOf(call(['write'], [write('/project/a')]), context('auto', { grant }))).toBe('ask');
    expect(verdictOf(call(['read'], [read('/project/a')]), context('auto', { grant }))).toBe('allow');
  });
});

describe('places', () => {
  test.each([
    ['outside', write('/etc/passwd'), 'deny'],
    ['a sibling with the same beginning', write('/project-evil/a'), 'deny'],
    ["Klaus's own state, even to read", read('/home/me/.klaus/klaus.db'), 'deny'],
    ["git's own files", write('/project/.git/hooks/pre-commit'), 'deny'],
    ['nested git folders', write('/project/vendor/x/.git/config'), 'deny'],
    ["Klaus's configuration", write('/project/.klaus/config.yaml'), 'ask'],
    ['reading git', read('/project/.git/HEAD'), 'allow'],
    ['a file that is only called like git', write('/project/.gitignore'), 'allow'],
  ])('%s', (_, access, verdict) => {
    const effects: Effect[] = access.kind === 'fs' && access.right === 'w' ? ['write'] : ['read'];
    expect(verdictOf(call(effects, [access]), context('auto'))).toBe(verdict);
  });
});

describe('combining', () => {
  test('deny beats ask beats allow in any order', () => {
    const allow = { rule: 'a', verdict: 'allow', reason: 'a' } as const;
    const ask = { rule: 'b', verdict: 'ask', reason: 'b' } as const;
    const deny = { rule: 'c', verdict: 'deny', reason: 'c' } as const;
    expect(combine([allow, ask, deny]).rule).toBe('c');
    expect(combine([deny, allow]).verdict).toBe('deny');
    expect(combine([ask, allow]).rule).toBe('b');
  });

  test('no rule that allows means deny', () => {
    expect(combine([]).verdict).toBe('deny');
  });

  test('a rule that throws denies, and the other rules are still heard', () => {
    const broken: Rule = {
      name: 'broken',
      check() {
        throw new Error('boom');
      },
    };
    const fine: Rule = { name: 'fine', check: () => ({ verdict: 'allow', reason: 'yes' }) };
    const decision = decide(call(['read']), context('auto'), [broken, fine]);
    expect(decision).toMatchObject({ verdict: 'deny', rule: 'broken', reason: expect.stringContaining('boom') });
    expect(decision.findings.map((finding) => finding.rule)).toEqual(['broken', 'fine']);
  });

  test('a call that redaction altered asks, unless it only reads', () => {
    expect(verdictOf(call(['write'], [write('/project/a')], { altered: true }), context('auto'))).toBe('ask');
    expect(verdictOf(call(['read'], [], { altered: true }), context('auto'))).toBe('allow');
  });
});
