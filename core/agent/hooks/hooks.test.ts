import { expect, test } from 'vitest';
import { readHookAnswer } from './hook-answer.ts';
import { chooseHooks } from './hooks.ts';

const ended = (exitCode: number | null, stdout = '', stderr = '') => readHookAnswer({ exitCode, stdout, stderr });
const said = (value: unknown) => ended(0, JSON.stringify(value));
const permission = (permissionDecision: string, more = {}) =>
  said({ hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision, ...more } });

test.each([
  [ended(0), 'none'],
  [ended(0, 'checked 3 files'), 'none'],
  [ended(2, '', 'not today'), 'deny'],
  [said({}), 'none'],
  [said({ decision: 'approve' }), 'none'],
  [said({ decision: 'block', reason: 'no' }), 'deny'],
  [said({ continue: false }), 'deny'],
  [permission('allow'), 'none'],
  [permission('deny'), 'deny'],
  [permission('ask'), 'ask'],
  [permission('defer'), 'ask'],
  [permission('allow', { updatedInput: { command: 'true' } }), 'deny'],
  [readHookAnswer({ status: 204, text: '' }), 'none'],
])('%# an answer that allows changes nothing, and only a denial and a question narrow', (answer, decision) => {
  expect(answer).toMatchObject({ decision });
});

test.each([
  ended(1),
  ended(null),
  ended(127, '', 'sh: check: not found'),
  ended(0, '{"decision": "blo'),
  said({ decision: 'maybe' }),
  permission('deny!'),
  readHookAnswer({ status: 500, text: '{}' }),
  readHookAnswer({ status: 302, text: '' }),
])('%# what is no answer is a failure', (answer) => {
  expect(answer).toHaveProperty('failure');
});

test.each([
  [undefined, true],
  ['', true],
  ['*', true],
  ['Bash', true],
  ['run_command', true],
  ['Edit|Bash', true],
  ['Ba.*', true],
  ['*and', true],
  ['r*_*d', true],
  ['bash', false],
  ['Bas', false],
  ['r*x*d', false],
  ['run_command*run_command', false],
])('a matcher %s', (matcher, isChosen) => {
  const hooks = [{ type: 'command' as const, command: 'true' }];
  const groups = { PreToolUse: [{ hooks, matcher }] };
  expect(chooseHooks(groups, 'PreToolUse', ['run_command', 'Bash'])).toHaveLength(isChosen ? 1 : 0);
});

test('a matcher of a project takes linear time', () => {
  const groups = {
    PreToolUse: [{ matcher: '*a'.repeat(200), hooks: [{ type: 'command' as const, command: 'true' }] }],
  };
  expect(chooseHooks(groups, 'PreToolUse', [`${'a'.repeat(100_000)}b`])).toEqual([]);
});
