// Covers adapters/mcp, core/agent/questions, core/agent/replay: questions of MCP servers to the user.
import { expect, test } from 'vitest';
import { createTestEngine, ofType, type TestEngine } from '../fixtures/engine.ts';
import { toEntry } from './open-session.ts';

type Answer = Parameters<TestEngine['klaus']['answer']>;

/** Runs one call that asks, and answers its question. */
async function ask(how: string, answer: readonly [Answer[1], Answer[2]?] | 'cancel' | 'none') {
  const engine = await createTestEngine({
    files: { '.mcp.json': JSON.stringify({ mcpServers: { one: toEntry() } }) },
    script: {
      steps: [
        {
          when: { turn: 0 },
          reply: { calls: [{ name: 'use_tool', input: { name: 'mcp__one__ask', input: { how } } }] },
        },
      ],
      fallback: { text: 'Done.' },
    },
  });
  const { klaus } = engine;
  const session = await klaus.open({ trustCommand: true });
  await session.prompt('go', { onAsk: answer === 'none' ? 'deny' : 'wait' });
  const asked: unknown[] = [];
  const unlisten = session.subscribe(0, (event) => {
    if (event.type !== 'approval.asked') return;
    asked.push(event.subject);
    if (answer === 'cancel') void session.send({ type: 'cancel', reason: 'enough' });
    else if (answer !== 'none') void klaus.answer(event.approval, ...answer);
  });
  await session.advance();
  unlisten();
  const events = await Array.fromAsync(session.events());
  const [finished] = ofType(events, 'tool.finished');
  const [, text = ''] = /\n(\{.*\})$/s.exec(finished!.output) ?? [];
  const result: unknown = text === '' ? undefined : JSON.parse(text);
  return { engine, session, events, asked, finished: finished!, result };
}

test('the user fills in a form, with its defaults, and the log replays', async () => {
  const { engine, session, events, asked, result } = await ask('form', [
    'approved',
    { content: { name: 'Ada', count: 3, colour: 'blue', parts: ['a', 'c'] } },
  ]);
  await using _ = engine;
  expect(asked).toMatchObject([
    {
      kind: 'input',
      name: 'mcp__one__ask',
      from: 'the MCP server one',
      message: 'Which one?',
      fields: [
        { name: 'name', title: 'Name', type: 'text', required: true, min: 2 },
        { name: 'count', type: 'integer', required: false, min: 1, max: 5, default: 2 },
        { name: 'colour', type: 'choice', options: [{ value: 'red', title: 'Red' }, { value: 'blue' }] },
        { name: 'parts', type: 'choices', max: 2 },
        { name: 'sure', type: 'boolean' },
      ],
    },
  ]);
  expect(result).toEqual({ action: 'accept', content: { name: 'Ada', count: 3, colour: 'blue', parts: ['a', 'c'] } });
  expect(ofType(events, 'approval.asked')).toMatchObject([{ held: true }]);
  expect(await session.replay()).toMatchObject({ outcome: 'equal' });
});

test.each([
  ['declines', 'form', ['rejected'], 1, { action: 'decline' }],
  ['opens an address', 'url', ['approved'], 1, { action: 'accept' }],
  ['cannot be asked', 'form', 'none', 0, { action: 'decline' }],
  ['is not asked for a secret', 'secret', ['approved', { content: { userPin: '1234' } }], 0, { action: 'decline' }],
  ['is not sent to a file', 'file', ['approved'], 0, { action: 'decline' }],
] as const)('the user %s', async (_, how, answer, questions, expected) => {
  const { engine, session, asked, result } = await ask(how, answer as Parameters<typeof ask>[1]);
  await using __ = engine;
  expect(asked).toHaveLength(questions);
  expect(result).toEqual(expected);
  expect(await session.replay()).toMatchObject({ outcome: 'equal' });
});

test('a cancel during a question ends the call and closes the question', async () => {
  const { engine, session, events, finished } = await ask('form', 'cancel');
  await using _ = engine;
  expect(finished.outcome).toBe('cancelled');
  expect(ofType(events, 'approval.answered')).toMatchObject([{ answer: 'superseded', by: 'klaus' }]);
  expect(ofType(events, 'run.finished')).toMatchObject([{ outcome: 'cancelled' }]);
  expect(await session.replay()).toMatchObject({ outcome: 'equal' });
});
