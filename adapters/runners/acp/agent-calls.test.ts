import { describe, expect, test } from 'vitest';
import { AgentCalls } from './agent-calls.ts';

const toCall = (update: object) =>
  new AgentCalls('/w').update({ toolCallId: 'c', title: 'A call', ...update } as Parameters<AgentCalls['update']>[0]);

describe('the command of a call', () => {
  test.for<[unknown, string | undefined]>([
    [{ command: 'npm test' }, 'npm test'],
    [{ cmd: 'ls' }, 'ls'],
    [{ command: ['bash', '-lc', 'echo a > b; ls'] }, 'echo a > b; ls'],
    [{ command: ['/bin/sh', '-c', 'id'] }, 'id'],
    [{ command: ['git', 'commit', '-m', "it's done"] }, "git commit -m 'it'\\''s done'"],
    [{ command: [] }, undefined],
    [{ command: ['a', 1] }, undefined],
    [{ command: ' ' }, undefined],
    [{ script: 'rm -rf /' }, undefined],
    ['rm -rf /', undefined],
    [undefined, undefined],
  ])('%j is %j', ([rawInput, command]) => {
    expect(toCall({ kind: 'execute', rawInput }).command).toBe(command);
  });
});

test('paths are absolute and normalized, so that the gate sees where they lead', () => {
  const call = toCall({
    kind: 'edit',
    locations: [{ path: 'a/../../etc/passwd' }, { path: '/w/./b' }, { path: '/w/b' }],
  });
  expect(call.paths).toEqual(['/etc/passwd', '/w/b']);
});

test('an unknown kind, and the switch of a mode, are judged as unclear', () => {
  expect(toCall({ kind: 'new_kind' }).kind).toBe('other');
  expect(toCall({ kind: 'switch_mode' }).kind).toBe('other');
});

test('updates contain only what changed', () => {
  const calls = new AgentCalls('/w');
  calls.update({
    toolCallId: 'c',
    title: 'Fetch',
    kind: 'fetch',
    status: 'pending',
    rawInput: { url: 'https://a.b/c' },
  });
  const call = calls.update({
    toolCallId: 'c',
    status: 'completed',
    title: null,
    content: [{ type: 'content', content: { type: 'text', text: 'found' } }],
  });
  expect(call).toMatchObject({ kind: 'fetch', title: 'Fetch', url: 'https://a.b/c', state: 'done', output: 'found' });
});

test('a diff is a patch with paths of the workspace', () => {
  const content = [{ type: 'diff', path: '/w/a.txt', oldText: 'one\n', newText: 'two\n' }];
  const { diff, paths } = toCall({ kind: 'edit', content });
  expect(diff).toContain('--- a/a.txt');
  expect(diff).toContain('-one\n+two');
  expect(paths).toEqual(['/w/a.txt']);
});
