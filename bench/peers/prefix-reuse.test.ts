import { expect, test } from 'vitest';
import { toPrefixReuse } from './prefix-reuse.ts';

const user = (content: unknown) => ({ role: 'user', content });
const tools = [{ name: 'look' }];

test('a history that only grows is reused completely, in all three formats', () => {
  const first = [user('a'), { role: 'assistant', content: 'b' }];
  const grown = [...first, user('c')];
  for (const toBody of [
    (list: unknown[]) => ({ tools, system: 's', messages: list }),
    (list: unknown[]) => ({ tools, messages: list, temperature: list.length }),
    (list: unknown[]) => ({ tools, instructions: 's', input: list }),
  ]) {
    expect(toPrefixReuse([toBody(first), toBody(grown)])).toBe(1);
  }
});

test('marks for the cache are no part of the prompt', () => {
  const marked = user([{ type: 'text', text: 'a', cache_control: { type: 'ephemeral' } }]);
  const bare = user([{ type: 'text', text: 'a' }]);
  expect(
    toPrefixReuse([
      { tools, messages: [marked] },
      { tools, messages: [bare, user('b')] },
    ]),
  ).toBe(1);
});

test('what follows the first change counts as lost, and the worst step counts', () => {
  const bodies = [
    { tools, messages: [user('x'.repeat(900)), user('y'.repeat(900))] },
    { tools, messages: [user('x'.repeat(900)), user('z'.repeat(900))] },
    { tools, messages: [user('x'.repeat(900)), user('z'.repeat(900)), user('b')] },
  ];
  expect(toPrefixReuse(bodies)).toBeCloseTo(0.5, 1);
  expect(
    toPrefixReuse([
      { tools, messages: [user('a')] },
      { tools: [...tools, ...tools], messages: [user('a')] },
    ]),
  ).toBe(0);
});
