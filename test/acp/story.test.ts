// Covers apps/acp: a session in an editor.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Script } from '@klaus/sdk';
import { expect, test } from 'vitest';
import { startServer } from '../fixtures/klaus.ts';
import { createTestHome } from '../fixtures/test-home.ts';
import { startEditor } from './editor.ts';

const FILES = { 'src/sum.js': 'export const sum = (a, b) => a - b;\n' };

const FIX: Script = {
  contextWindow: 200_000,
  steps: [
    {
      when: { turn: 0 },
      reply: {
        thinking: 'I should look.',
        text: 'I look at the code.',
        calls: [{ name: 'read_file', input: { path: 'src/sum.js' } }],
      },
    },
    {
      when: { turn: 1 },
      reply: {
        calls: [
          { name: 'edit_file', input: { path: 'src/sum.js', edits: [{ old: 'a - b', new: 'a + b' }] } },
          { name: 'run_command', input: { command: 'echo checked' } },
        ],
      },
    },
    { when: { turn: 2 }, reply: { text: 'The sum adds now.' } },
  ],
};

test('a prompt streams text, thoughts, calls with diffs and places, and usage', async () => {
  using place = createTestHome(FILES);
  await using server = await startServer(FIX);
  await using editor = await startEditor({ place, server });
  const { sessionId, modes, configOptions } = await editor.open();
  expect(modes?.availableModes.map(({ id }) => id)).toEqual(['plan', 'ask', 'edits', 'auto']);
  expect(configOptions?.map(({ id, category }) => `${id} ${category}`)).toEqual([
    'mode mode',
    'model model',
    'effort thought_level',
  ]);
  const response = await editor.prompt(sessionId, 'The sum is wrong.');
  expect(response).toMatchObject({ stopReason: 'end_turn', usage: { totalTokens: expect.any(Number) } });
  expect(editor.text()).toContain('I look at the code.');
  expect(editor.text().endsWith('The sum adds now.')).toBe(true);
  const path = join(place.workspace, 'src/sum.js');
  const edit = await editor.untilUpdate('tool_call', ({ name }) => name === 'edit_file');
  expect(edit).toMatchObject({ kind: 'edit', status: 'pending', locations: [{ path }] });
  const done = await editor.untilUpdate(
    'tool_call_update',
    ({ toolCallId, status }) => toolCallId === edit.toolCallId && status === 'completed',
  );
  expect(done.content).toEqual([
    {
      type: 'diff',
      path,
      oldText: 'export const sum = (a, b) => a - b;\n',
      newText: 'export const sum = (a, b) => a + b;\n',
    },
  ]);
  expect(await editor.untilUpdate('usage_update')).toMatchObject({ used: expect.any(Number) });
  expect(await editor.untilUpdate('agent_thought_chunk')).toMatchObject({ content: { text: 'I should look.' } });
  expect(readFileSync(path, 'utf8')).toContain('a + b');
  expect(editor.problems).toEqual([]);
  expect(await editor.end()).toBe(0);
});
