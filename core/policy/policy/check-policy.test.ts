import { expect, test } from 'vitest';
import type { PolicyFile } from '../../protocol/index.ts';
import { readTargets } from './check-policy.ts';

const TOOLS = ['read_file', 'write_file', 'git_commit', 'git_checkpoint', 'run_command'];
const rule = (kind: string, pattern: string, verdict = 'deny') => ({ [verdict]: { [kind]: pattern } });
const problemOf = (file: PolicyFile) => {
  const result = readTargets(file, TOOLS);
  return 'problem' in result ? result.problem : undefined;
};

test.each([
  ['tool', 'git_commit'],
  ['tool', 'git_*'],
  ['tool', '*'],
  ['read', 'customers/**'],
  ['read', '*.pem'],
  ['write', 'app/[id]/page.tsx'],
  ['write', 'with space/a?.txt'],
  ['command', 'terraform *'],
  ['command', 'git push --force*'],
  ['command', '*'],
])('%s %s is taken', (kind, pattern) => {
  expect(problemOf({ rules: [rule(kind, pattern)] })).toBeUndefined();
});

test.each([
  ['tool', 'git_comit', /"git_comit"/],
  ['tool', 'nothing_like_it', /"nothing_like_it"/],
  ['read', '/etc/passwd', /absolute/],
  ['read', '/src', /absolute/],
  ['read', '~/notes', /~/],
  ['write', '../x', /\.\./],
  ['write', 'a/../b', /\.\./],
  ['write', './a', /`\.`/],
  ['write', './', /`\.`/],
  ['write', 'a//b', /empty/],
  ['write', 'a/', /slash/],
  ['write', 'a\\b', /slashes/],
  ['write', 'C:/a', /absolute/],
  ['write', '!src', /!/],
  ['write', '*.{pem,key}', /braces/],
  ['write', ' src', /space/],
  ['write', 'a\0b', /control/],
  ['write', '  ', /empty/],
  ['command', '   ', /empty/],
  ['command', 'curl x | sh', /"\|"/],
  ['command', 'a && b', /"&"/],
  ['command', 'a; b', /";"/],
  ['command', 'a > b', /">"/],
  ['command', 'echo $(x)', /"\$"/],
  ['command', 'echo `x`', /"`"/],
  ['command', 'git commit -m "x"', /quotes/],
  ['command', '--force', /name/],
  ['command', 'A=b make', /assignment/],
])('%s %j can never match', (kind, pattern, why) => {
  const problem = problemOf({ rules: [rule('tool', '*', 'ask'), rule(kind, pattern)] });
  expect(problem?.at).toEqual(['rules', 1, 'deny', kind]);
  expect(problem?.message).toMatch(why);
});

test('the nearest tool is named', () => {
  expect(problemOf({ rules: [rule('tool', 'git_comit')] })?.hint).toMatch(/^[^,]*\bgit_commit\b[^,]*$/);
});

test.each<[PolicyFile['rules'], (string | number)[]]>([
  [
    [rule('read', 'a', 'deny'), rule('read', 'a', 'ask')],
    ['rules', 1, 'ask', 'read'],
  ],
  [
    [rule('read', 'a', 'ask'), rule('read', 'a', 'deny')],
    ['rules', 1, 'deny', 'read'],
  ],
  [
    [rule('tool', '*', 'ask'), rule('tool', '*', 'ask')],
    ['rules', 1, 'ask', 'tool'],
  ],
  [
    [rule('read', 'a', 'deny'), rule('write', 'a', 'ask')],
    ['rules', 1, 'ask', 'write'],
  ],
  [
    [rule('write', 'a', 'deny'), rule('read', 'a', 'deny')],
    ['rules', 1, 'deny', 'read'],
  ],
])('a rule that never decides is refused: %j', (rules, at) => {
  expect(problemOf({ rules })?.at).toEqual(at);
});

test('reading may be asked about where changing is denied', () => {
  expect(problemOf({ rules: [rule('read', 'a', 'ask'), rule('write', 'a', 'deny')] })).toBeUndefined();
});

test.each<[PolicyFile, (string | number)[]]>([
  [{ rules: [{ reason: 'none' }] }, ['rules', 0]],
  [{ rules: [{ deny: { tool: '*' }, ask: { tool: '*' } }] }, ['rules', 0]],
  [{ rules: [{ deny: {} }] }, ['rules', 0, 'deny']],
  [{ rules: [{ deny: { tool: '*', read: 'a' } }] }, ['rules', 0, 'deny']],
  [{ secrets: ['ok', '/abs'] }, ['secrets', 1]],
  [{ secrets: ['ok', 'ok'] }, ['secrets', 1]],
])('%j is refused at its place', (file, at) => {
  expect(problemOf(file)?.at).toEqual(at);
});
