// Covers sdk/open, core/policy/grant: the tools in a request follow the authority of the session.
import { builtinTools } from '@klaus/adapters/tools';
import type { Effect, OpenOptions } from '@klaus/sdk';
import { expect, test } from 'vitest';
import { createTestEngine } from '../fixtures/engine.ts';

const EFFECTS = new Map<string, readonly Effect[]>(builtinTools.map(({ name, effects }) => [name, effects]));

async function offeredTo(options: OpenOptions): Promise<string[][]> {
  await using engine = await createTestEngine({ script: { steps: [], fallback: { text: 'Done.' } } });
  const session = await engine.klaus.open(options);
  for (const prompt of ['one', 'two']) {
    await session.prompt(prompt);
    await session.advance();
  }
  return engine.server.requests.map(({ json }) =>
    ((json as { tools?: { name: string }[] }).tools ?? []).map(({ name }) => name),
  );
}

test('a session without authority is offered no tool', async () => {
  expect(await offeredTo({ grant: 'nothing' })).toEqual([[], []]);
});

test.each<[string, OpenOptions]>([
  ['a grant that only reads', { grant: 'fs(., r) · tool(*)' }],
  ['mode plan', { mode: 'plan' }],
])('%s is offered exactly the tools that only read', async (_, options) => {
  const [first, second] = await offeredTo(options);
  expect(second).toEqual(first);
  expect(first).toContain('read_file');
  const effects = new Set(first!.flatMap((name) => EFFECTS.get(name) ?? []));
  expect(effects).toEqual(new Set(['read']));
});

test('a grant that names tools is offered no other', async () => {
  const [first] = await offeredTo({ grant: 'fs(., rw) · tool(read_file) · tool(edit_file) · tool(run_command)' });
  expect(first).toEqual(['read_file', 'edit_file']);
});
