// Covers adapters/tools/context, core/agent/budget: the tool that reports the use of context window and budget.
import { expect, test } from 'vitest';
import type { ContextInfo } from '@klaus/core/agent';
import { createTestEngine, ofType } from '../fixtures/engine.ts';

const CALL = { name: 'get_context_info', input: {} };
const SCRIPT = {
  steps: [
    { when: { turn: 0 }, reply: { calls: [CALL] } },
    { when: { turn: 1 }, reply: { text: 'Done.' } },
  ],
};
const ONLY_TOOL = '---\nname: thrifty\ndescription: Counts.\ntools: [get_context_info]\n---\n';

test('it reports the folded state, and its replay is equal', async () => {
  await using engine = await createTestEngine({ script: SCRIPT, files: { 'README.md': '# Test\n' } });
  const session = await engine.klaus.open({ limits: { tokens: 50_000, turns: 3, toolCalls: 0 } });
  await session.prompt('How much is left?');
  await session.advance();
  const events = await Array.fromAsync(session.events());
  const { usage } = ofType(events, 'model.attempted')[0]!;
  const info = ofType(events, 'tool.finished')[0]!.detail as ContextInfo;
  const { tokens, turns, toolCalls } = info.limits;
  expect(info.window).toBeGreaterThan(info.used);
  expect(info.used).toBeGreaterThanOrEqual(usage.input + usage.cacheRead + usage.cacheWrite);
  expect(tokens.used! + tokens.left!).toBe(50_000);
  expect(tokens.used).toBeGreaterThan(0);
  expect(turns).toEqual({ used: 1, cap: 3, left: 2 });
  expect(toolCalls).toMatchObject({ cap: 0, left: null });
  expect((await session.replay()).outcome).toBe('equal');
});

test('an agent that can only chat has it when its definition names it', async () => {
  await using engine = await createTestEngine({
    script: SCRIPT,
    files: { 'README.md': '# Test\n', '~/.klaus/agents/thrifty.md': ONLY_TOOL },
  });
  const session = await engine.klaus.open({ agent: 'thrifty', mode: 'plan' });
  await session.prompt('How much is left?');
  await session.advance();
  const events = await Array.fromAsync(session.events());
  const [opened] = ofType(events, 'session.opened');
  expect(opened!.tools).toEqual(['get_context_info']);
  expect(opened!.grant.authorities).toEqual([{ kind: 'tool', name: 'get_context_info' }]);
  expect(ofType(events, 'tool.finished')[0]).toMatchObject({ outcome: 'ok' });
});
