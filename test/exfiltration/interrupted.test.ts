// Covers core/agent/state, core/agent/calls, core/agent/loop: calls that received a text of others and have no result.
import { defineTool, type Session, type Tool } from '@klaus/sdk';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { createTestEngine, ofType } from '../fixtures/engine.ts';

const GRANT = 'fs(., rwx) exec tool(*) net(127.0.0.1, 9)';

interface Case {
  /** The tool whose call is interrupted, and its input. */
  tool?: Partial<Tool>;
  name?: string;
  input?: Record<string, string | boolean>;
}

/** What the model calls first; then it sends something out. */
function createCase({ tool, name = 'slow', input = {} }: Case) {
  const slow = defineTool({
    ...{ name: 'slow', description: 'test', input: z.unknown(), effects: ['read', 'network'], resume: 'tell' },
    ...(tool as object),
    run: async () => ({ text: 'read' }),
  });
  const send = defineTool({
    ...{ name: 'send', description: 'test', input: z.unknown(), effects: ['network'], resume: 'tell' },
    origin: 'local',
    run: async () => ({ text: 'sent' }),
  });
  return createTestEngine({
    tools: [slow, send],
    script: {
      steps: [
        { when: { turn: 0 }, reply: { calls: [{ name, input }] } },
        { when: { turn: 1 }, reply: { calls: [{ name: 'send', input: {} }] } },
      ],
      fallback: { text: 'Done.' },
    },
  });
}

async function isAsked(session: Session): Promise<boolean> {
  await session.advance();
  const decided = ofType(await Array.fromAsync(session.events()), 'gate.decided').filter(({ name }) => name === 'send');
  expect(decided).toHaveLength(1);
  return decided[0]!.findings.some(({ rule, verdict }) => rule === 'taint' && verdict === 'ask');
}

const CASES: readonly (readonly [name: string, given: Case, asks: boolean])[] = [
  ['a tool with the network', {}, true],
  ['a tool of another maker', { tool: { effects: ['read'], origin: 'others', maker: 'the MCP server one' } }, true],
  ['one that is repeated', { tool: { resume: 'repeat', effects: ['read'], origin: 'others' } }, true],
  [
    'a command that uses the network',
    { name: 'run_command', input: { command: 'curl -m 5 http://127.0.0.1:9', network: true } },
    true,
  ],
  ['a command without one', { name: 'run_command', input: { command: 'echo hello' } }, false],
  ['a tool without one', { tool: { effects: ['read'] } }, false],
];

test.each(CASES)('in a fork at its start: %s', async (_, given, asks) => {
  await using engine = await createCase(given);
  const session = await engine.klaus.open({ mode: 'auto', grant: GRANT, checkpoint: 'manual' });
  await session.prompt('go', { onAsk: 'deny' });
  await session.advance();
  const events = await Array.fromAsync(session.events());
  const fork = await engine.klaus.fork(session.id, { at: ofType(events, 'tool.started')[0]!.seq });
  await fork.session.prompt('next', { onAsk: 'deny' });
  expect(await isAsked(fork.session)).toBe(asks);
});
