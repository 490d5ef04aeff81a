// Covers core/agent/replay, core/agent/loop: a door that has the result ends the run as done, without another turn.
import { defineTool } from '@klaus/sdk';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { createTestEngine, ofType } from '../fixtures/engine.ts';

test('a cancel with the outcome done ends a paused run, and its log can be replayed', async () => {
  const pause = new AbortController();
  const finish = defineTool({
    name: 'finish',
    description: 'Ends the work.',
    input: z.object({}),
    effects: ['read'],
    resume: 'repeat',
    async run() {
      pause.abort();
      return { text: 'accepted' };
    },
  });
  await using engine = await createTestEngine({
    tools: [finish],
    script: {
      steps: [{ reply: { text: 'A long explanation. '.repeat(50), calls: [{ name: 'finish', input: {} }] } }],
    },
  });
  const session = await engine.klaus.open({ mode: 'auto' });
  await session.prompt('Work.');
  expect(await session.advance({ pause: pause.signal })).toEqual({ state: 'idle' });
  await session.send({ type: 'cancel', by: 'door', reason: 'The result was accepted.', outcome: 'done' });
  expect(await session.advance()).toMatchObject({ finished: { outcome: 'done', by: 'door', turns: 1 } });
  expect(engine.server.requests).toHaveLength(1);
  const [opened] = ofType(await Array.fromAsync(session.events()), 'session.opened');
  expect(opened?.tools).toContain('finish');
  expect(await session.replay()).toMatchObject({ outcome: 'equal' });
});
