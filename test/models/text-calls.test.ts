// Covers adapters/models/text-calls, core/agent/model: a model without tools calls them in its text, until untrusted text is read.
import { createKlaus } from '@klaus/sdk';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ofType } from '../fixtures/engine.ts';
import { startLocalProgram, type LocalProgram } from '../fixtures/local-program.ts';
import { createTestHome } from '../fixtures/test-home.ts';

const toCall = (name: string, input: object) =>
  `I do it.\n<tool_call>\n${JSON.stringify({ name, arguments: input })}\n</tool_call>`;
const SCRIPT = JSON.stringify({
  steps: [
    { reply: { text: toCall('read_file', { path: 'a.txt' }) } },
    { reply: { text: toCall('edit_file', { path: 'a.txt', edits: [{ old: 'one', new: 'two' }] }) } },
    { reply: { text: 'done' } },
  ],
  fallback: { text: 'notes' },
});

function open(program: LocalProgram, place: ReturnType<typeof createTestHome>, tools: boolean | 'text' | undefined) {
  const servers = { own: { baseUrl: `${program.origin}/v1`, family: 'llamacpp' as const, tools } };
  const settings = { servers, model: 'own/m', approve: 'auto', 'sandbox.driver': 'host' } as const;
  return createKlaus({ home: place.home, cwd: place.workspace, env: place.env, settings });
}

test('calls at the end of its answers are done, and results come back as text', async () => {
  using place = createTestHome({ 'a.txt': 'one\n' });
  await using program = await startLocalProgram({ family: 'llamacpp', tools: false, script: SCRIPT });
  await using klaus = await open(program, place, 'text');
  const session = await klaus.open();
  await session.prompt('Change one to two.');
  expect(await session.advance()).toMatchObject({ finished: { outcome: 'done' } });
  expect(readFileSync(join(place.workspace, 'a.txt'), 'utf8')).toBe('two\n');
  const events = await Array.fromAsync(session.events());
  expect(ofType(events, 'tool.finished').map(({ outcome }) => outcome)).toEqual(['ok', 'ok']);
  for (const { tools } of program.bodies) expect(tools ?? []).toEqual([]);
  const [first, second, third] = program.bodies.map(({ messages }) => JSON.stringify(messages));
  expect(first).toContain('read_file');
  expect(second).toContain('<tool_response>');
  // The history only grows, so that the server can use what it has computed.
  expect(second!.startsWith(first!.slice(0, -1))).toBe(true);
  expect(third!.startsWith(second!.slice(0, -1))).toBe(true);
});

test('after untrusted text they are text', async () => {
  using place = createTestHome({ 'a.txt': 'one\n' });
  await using program = await startLocalProgram({ family: 'llamacpp', tools: false, script: SCRIPT });
  await using klaus = await open(program, place, 'text');
  const session = await klaus.open();
  await session.prompt('Change one to two.', { untrusted: { source: 'a page' } });
  expect(await session.advance()).toMatchObject({ finished: { outcome: 'done' } });
  expect(readFileSync(join(place.workspace, 'a.txt'), 'utf8')).toBe('one\n');
  const events = await Array.fromAsync(session.events());
  expect(ofType(events, 'tool.started')).toEqual([]);
});

test('without the setting the run ends before anything is sent', async () => {
  using place = createTestHome({ 'a.txt': 'one\n' });
  await using program = await startLocalProgram({ family: 'llamacpp', tools: false, script: SCRIPT });
  await using klaus = await open(program, place, undefined);
  const session = await klaus.open();
  await session.prompt('Change one to two.');
  expect(await session.advance()).toMatchObject({ finished: { outcome: 'model_failed' } });
  expect(program.bodies).toEqual([]);
});
