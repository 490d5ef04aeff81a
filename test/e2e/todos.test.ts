// Covers adapters/tools/todo, core/agent/context: the todo list that an agent keeps.
import { createConversation, foldConversation } from '@klaus/core/conversation';
import type { Todo } from '@klaus/core/protocol';
import { expect, test } from 'vitest';
import { createTestEngine, ofType } from '../fixtures/engine.ts';

const FIRST: Todo[] = [
  { text: 'Read the code', status: 'done' },
  { text: 'Fix the </todos> sum', status: 'in_progress' },
];
const SECOND: Todo[] = [{ text: 'Something else', status: 'pending' }];
const write = (todos: Todo[]) => ({ name: 'use_tool', input: { name: 'todo_write', input: { todos } } });

test('the last call of a message sets the list, in every mode and without an approval', async () => {
  await using engine = await createTestEngine({
    script: {
      steps: [
        { when: { turn: 0 }, reply: { calls: [write(SECOND), write(FIRST)] } },
        { when: { turn: 1 }, reply: { text: 'Done.' } },
      ],
    },
  });
  const session = await engine.klaus.open({ mode: 'plan' });
  await session.prompt('Plan it.');
  await session.advance();
  const events = await Array.fromAsync(session.events());
  expect(ofType(events, 'tool.finished')).toMatchObject([{ outcome: 'ok' }, { outcome: 'ok' }]);
  expect(ofType(events, 'approval.asked')).toEqual([]);
  const view = createConversation(session.id);
  for (const event of events) foldConversation(view, event);
  expect(view.todoList?.todos).toEqual(FIRST);
  // The order of the results in the log does not matter.
  const [first, second] = ofType(events, 'tool.finished');
  const other = createConversation(session.id);
  for (const event of events) {
    const swapped = event === first ? second! : event === second ? first! : event;
    foldConversation(other, { ...swapped, seq: event.seq });
  }
  expect(other.todoList?.todos).toEqual(FIRST);
  expect((await session.replay()).outcome).toBe('equal');
});

test('two items in progress are refused', async () => {
  const both: Todo[] = [
    { text: 'a', status: 'in_progress' },
    { text: 'b', status: 'in_progress' },
  ];
  await using engine = await createTestEngine({
    script: {
      steps: [
        { when: { turn: 0 }, reply: { calls: [write(both)] } },
        { when: { turn: 1 }, reply: { text: 'Done.' } },
      ],
    },
  });
  const session = await engine.klaus.open();
  await session.prompt('Plan it.');
  await session.advance();
  const [finished] = ofType(await Array.fromAsync(session.events()), 'tool.finished');
  expect(finished).toMatchObject({ outcome: 'error', detail: { code: 'tool.input' } });
  expect(finished!.todos).toBeUndefined();
});

test('a compaction keeps the list as it was last set', { tags: ['long'] }, async () => {
  const filler = (at: number): string => `part ${at}: ${'x'.repeat(9_000)}`;
  await using engine = await createTestEngine({
    settings: { 'limits.tokens': 0, 'limits.toolCalls': 0, 'limits.turns': 0 },
    script: {
      contextWindow: 12_000,
      maxOutputTokens: 1_024,
      steps: [
        { when: { tools: false, system: 'compress the history' }, reply: { text: 'NOTES' } },
        { when: { result: '0 of 1 done' }, reply: { calls: [write(FIRST)] } },
        { when: { user: '^Keep a list' }, reply: { calls: [write(SECOND)] } },
      ],
      fallback: { text: 'Noted.' },
    },
  });
  const session = await engine.klaus.open();
  await session.prompt('Keep a list.');
  await session.advance();
  const compactions = async () => ofType(await Array.fromAsync(session.events()), 'context.compacted').length;
  for (let at = 0; (await compactions()) < 3; at++) {
    await session.prompt(filler(at));
    await session.advance();
  }
  const { body } = engine.server.requests.findLast((request) => request.body.includes('"tools"'))!;
  expect(body.split('[>] Fix the </todos> sum')).toHaveLength(2);
  expect(body.includes('Something else')).toBe(false);
  expect((await session.replay()).outcome).toBe('equal');
});
