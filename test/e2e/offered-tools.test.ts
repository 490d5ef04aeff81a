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

test('a grant that only reads is offered exactly the tools that only read', async () => {
  const [first, second] = await offeredTo({ grant: 'fs(., r) · tool(*)' });
  expect(second).toEqual(first);
  expect(first).toContain('read_file');
  const effects = new Set(first!.flatMap((name) => EFFECTS.get(name) ?? []));
  expect(effects).toEqual(new Set(['read']));
});

test('mode plan, which ends with an accepted plan, is offered the same tools as any mode', async () => {
  expect(await offeredTo({ mode: 'plan' })).toEqual(await offeredTo({ mode: 'auto' }));
});

test('a grant that names tools is offered no other', async () => {
  const [first] = await offeredTo({ grant: 'fs(., rw) · tool(read_file) · tool(edit_file) · tool(run_command)' });
  expect(first).toEqual(['read_file', 'edit_file']);
});
