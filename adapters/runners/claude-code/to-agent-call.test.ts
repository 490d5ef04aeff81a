import { expect, test } from 'vitest';
import { toAgentCall } from './to-agent-call.ts';

const toCall = (name: string, input: Record<string, unknown>, cwd?: string) =>
  toAgentCall({ id: 'c', name, input }, { workspace: '/w', cwd });

test.for<[string, Record<string, unknown>, object]>([
  ['Bash', { command: 'ls', path: '/x' }, { kind: 'execute', command: 'ls', paths: [] }],
  ['Bash', { command: 1 }, { kind: 'execute', paths: [] }],
  ['Read', { file_path: '/w/a/../../etc/passwd' }, { kind: 'read', paths: ['/etc/passwd'] }],
  ['Read', { file_path: '~/.ssh/id' }, { kind: 'other' }],
  ['Glob', { pattern: '/etc/*' }, { kind: 'other' }],
  ['Grep', { pattern: 'x', glob: '../*' }, { kind: 'other' }],
  ['Glob', { pattern: 'a/**/b..c' }, { kind: 'search', paths: [] }],
  ['WebFetch', { url: 'https://a.b' }, { kind: 'fetch', url: 'https://a.b', sends: { fetches: 'https://a.b' } }],
  ['WebSearch', { query: 'x' }, { kind: 'fetch', sends: { searches: 'x' } }],
  ['Agent', { prompt: 'x' }, { kind: 'delegate', agent: 'general-purpose' }],
  ['TodoWrite', {}, { kind: 'think' }],
  ['mcp__a__read', {}, { kind: 'other' }],
  ['Skill', {}, { kind: 'other' }],
  ['constructor', {}, { kind: 'other' }],
])('%s %j', ([name, input, call]) => {
  expect(toCall(name, input)).toMatchObject({ ...call, input: { tool: name }, state: 'waiting' });
});

test('paths are relative to the folder in which it works now', () => {
  expect(toCall('Read', { file_path: 'a' }, '/w/sub').paths).toEqual(['/w/sub/a']);
  expect(toCall('Glob', { pattern: '*' }, '/elsewhere').paths).toEqual(['/elsewhere']);
});

test('an edit has a diff with paths of the workspace', () => {
  const { diff } = toCall('Edit', { file_path: '/w/a.txt', old_string: 'one\n', new_string: 'two\n' });
  expect(diff).toContain('--- a/a.txt');
  expect(diff).toContain('-one\n+two');
  expect(toCall('Write', { file_path: '/w/none.txt', content: 'new\n' }).diff).toContain('+new');
});
