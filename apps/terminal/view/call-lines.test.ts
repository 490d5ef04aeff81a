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
  ['run_command', { command: 'npm test' }, '○ Run command npm test'],
  ['mcp__github__search_issues', {}, '○ github: search issues'],
])('a call of %s has its name in words', (name, input, title) => {
  const [first] = toCallLines({ ...base, name, input } as CallEntry, options);
  expect(first).toBe(title);
});
