import { expect, test } from 'vitest';
import { toMarkdown } from './markdown.ts';

test('output that holds fences and backticks cannot break out of its block', () => {
  const text = toMarkdown({
    kind: 'call',
    turn: 1,
    title: 'run_command echo `x`',
    ok: true,
    outcome: 'ok',
    output: 'before\n````\n# not a heading\n````\n',
    call: 'one',
    duration: '1 ms',
    at: 0,
  });
  expect(text).toContain('### `` run_command echo `x` ``, 1 ms');
  expect(text).toContain('`````\nbefore\n````\n# not a heading\n````\n`````');
});
