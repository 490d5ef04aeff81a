import type { CallEntry } from '@klaus/sdk/conversation';
import { expect, test } from 'vitest';
import { toCallLines } from './call-lines.ts';
import { createViewStyle } from './view-style.ts';

const options = {
  width: 60,
  style: createViewStyle('none'),
  now: 0,
  spinner: '',
  output: '',
  isExpanded: false,
  isInterrupted: false,
};
const base = { kind: 'call', id: 'a', seq: 1, at: 0, turn: 1, state: 'waiting', decisions: [] } as const;

test.each([
  ['run_command', { command: 'npm test' }, '  ○ Run command npm test'],
  ['mcp__github__search_issues', {}, '  ○ github: search issues'],
])('a call of %s has its name in words', (name, input, title) => {
  const [first] = toCallLines({ ...base, name, input } as CallEntry, options);
  expect(first).toBe(title);
});

test('the output of a command is less prominent than an answer, and keeps its own colours', () => {
  const style = createViewStyle('dark');
  const result = {
    outcome: 'ok',
    output: 'plain\n\u001b[31mred\u001b[0m\n',
    durationMs: 1,
    changes: [],
    artifacts: [],
  };
  const call = { ...base, name: 'run_command', input: { command: 'npm test' }, state: 'finished', result };
  const toRows = (isExpanded: boolean): string[] =>
    toCallLines(call as unknown as CallEntry, { ...options, style, isExpanded }).slice(1);
  expect(toRows(false)[0]).toContain(style.palette.muted('plain'));
  expect(toRows(false)[1]).toContain('\u001b[38;5;1mred');
  expect(toRows(true)[0]).not.toContain(style.palette.muted('plain'));
});

test('an interrupted call has neither the spinner nor the time of a running one', () => {
  const call = { ...base, name: 'run_command', input: { command: 'npm test' }, state: 'running', startedAt: 0 };
  const toRows = (isInterrupted: boolean): string =>
    toCallLines(call as unknown as CallEntry, { ...options, spinner: '⠏', now: 5_000, isInterrupted }).join('\n');
  expect(toRows(false)).toMatch(/⠏.* 5\.0 s/);
  expect(toRows(true)).not.toMatch(/⠏| s$/m);
});
