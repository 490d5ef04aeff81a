// Covers core/agent/calls/judge-call.ts, adapters/tools: fields that a tool does not have are refused, and nothing runs.
import { builtinTools } from '@klaus/adapters/tools';
import { defineTool } from '@klaus/sdk';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { createTestEngine, ofType } from '../fixtures/engine.ts';
import { play, toScript, type ToolCall } from '../fixtures/play.ts';

async function playAll(calls: readonly ToolCall[], tools: Parameters<typeof createTestEngine>[0]['tools'] = []) {
  await using engine = await createTestEngine({ tools, script: toScript(calls) });
  const session = await engine.klaus.open({ limits: { toolCalls: 500, turns: 500 } });
  for (const _ of calls) await play(engine.klaus, session, { user: 'none' });
  return await Array.fromAsync(session.events());
}

test('every tool refuses a field that it does not have', async () => {
  const tools = builtinTools.filter(({ userOnly = false }) => !userOnly);
  const calls = tools.map(({ name, example }): ToolCall => {
    const input = { ...(example.input as Record<string, unknown>), not_a_field_of_it: 1 };
    const text = JSON.stringify({ name, input }).replaceAll('{{site}}', 'http://127.0.0.1:9');
    return { name: 'use_tool', input: JSON.parse(text) };
  });
  const events = await playAll(calls);
  const finished = ofType(events, 'tool.finished');
  expect(finished.map(({ name }) => name)).toEqual(tools.map(({ name }) => name));
  for (const { name, outcome, output, detail } of finished) {
    expect({ outcome, detail }, `${name}: ${output}`).toEqual({ outcome: 'error', detail: { code: 'tool.input' } });
    expect(output).toContain('not_a_field_of_it');
  }
  expect(ofType(events, 'tool.started')).toEqual([]);
});

test('the nearest field is named, in inner objects too, and a right call runs', async () => {
  const given: unknown[] = [];
  const send = defineTool({
    name: 'send_order',
    description: 'sends',
    input: z.object({ to: z.string(), items: z.array(z.object({ name: z.string(), amount: z.int().default(1) })) }),
    effects: ['read'],
    resume: 'repeat',
    async run(input) {
      given.push(input);
      return { text: 'sent' };
    },
  });
  const item = { name: 'a', amount: 2 };
  const calls = [
    { to: 'x', items: [{ name: 'a', amuont: 2 }] },
    { to: 'x', items: [item], itmes: [] },
    { tpo: 'x', items: [item] },
    { to: 'x', items: [item] },
  ].map((input): ToolCall => ({ name: 'send_order', input: JSON.parse(JSON.stringify(input)) }));
  const finished = ofType(await playAll(calls, [send]), 'tool.finished');
  expect(finished.map(({ outcome }) => outcome)).toEqual(['error', 'error', 'error', 'ok']);
  expect(finished[0]!.output).toMatch(/items\.0\.amuont\b.*\bamount\b/);
  expect(finished[1]!.output).toMatch(/itmes\b.*\bto, items\b/);
  expect(finished[2]!.output).toMatch(/tpo\b.*\bto\b/);
  expect(given).toEqual([{ to: 'x', items: [item] }]);
});
