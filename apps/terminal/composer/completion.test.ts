import { expect, test } from 'vitest';
import { createCompletion } from './completion.ts';

const COMMANDS = [
  { name: 'budget', argument: '[usd|calls|tokens|turns|minutes|off]', summary: 'show the limits, or set one of them' },
  { name: 'next', summary: 'show the session that has needed you for the longest time' },
  { name: 'quit', summary: 'leave' },
];

async function list(columns: number) {
  const completion = createCompletion({
    commands: () => COMMANDS,
    allCommands: async () => COMMANDS,
    columns: () => columns,
    findFiles: async () => [],
  });
  const { signal } = new AbortController();
  return (await completion.getSuggestions(['/'], 0, 1, { signal }))!.items;
}

test.each([46, 60, 80, 120])('descriptions of commands are cut after words, in %i columns', async (columns) => {
  for (const [at, { label, description = '' }] of (await list(columns)).entries()) {
    const { summary } = COMMANDS[at]!;
    if (description !== summary) {
      expect(description.endsWith('…')).toBe(true);
      const rest = summary.slice(description.length - 1);
      expect(summary.startsWith(description.slice(0, -1))).toBe(true);
      // A single word may not fit at all.
      expect(rest.startsWith(' ') || !description.includes(' ')).toBe(true);
    }
    expect(label.length).toBeLessThanOrEqual(30);
  }
});

test('a label that is too long has an ellipsis', async () => {
  const [budget, , quit] = await list(80);
  expect(budget!.label.endsWith('…')).toBe(true);
  expect(quit).toEqual({ value: '/quit', label: '/quit', description: 'leave' });
});
