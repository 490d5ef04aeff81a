// Covers adapters/models/servers, core/agent/calls, core/agent/budget: a session in a window of 8,192 or 16,384 tokens.
import { createKlaus } from '@klaus/sdk';
import { expect, test } from 'vitest';
import { ofType } from '../fixtures/engine.ts';
import { startLocalProgram } from '../fixtures/local-program.ts';
import { createTestHome } from '../fixtures/test-home.ts';

const WINDOWS = [8_192, 16_384];
const PROMPTS = 6;
/** Longer than what a result may have. */
const LONG = Array.from({ length: 400 }, (_, line) => `line ${line}: ${'some words of a file '.repeat(2)}`).join('\n');

const CALLS: [name: string, input: object][] = [
  ['list_files', { path: '.' }],
  ['read_file', { path: 'long.txt' }],
  ['edit_file', { path: 'count.txt', edits: [{ old: 'begin', new: 'begin one' }] }],
  ['run_command', { command: 'cat long.txt' }],
];
/** Each prompt lists, reads, edits and runs. */
const SCRIPT = JSON.stringify({
  steps: [
    { when: { tools: true, after: 'run_command' }, reply: { text: 'done' } },
    ...CALLS.slice(1).map(([name, input], before) => ({
      when: { tools: true, after: CALLS[before]![0] },
      reply: { calls: [{ name, input }] },
    })),
    { when: { tools: true }, reply: { calls: [{ name: CALLS[0]![0], input: CALLS[0]![1] }] } },
  ],
  fallback: { text: 'notes' },
});

test.each(WINDOWS)('30 turns that list, read, edit and run fit in %d tokens', async (window) => {
  using place = createTestHome({ 'long.txt': LONG, 'count.txt': 'begin\n' });
  await using program = await startLocalProgram({ family: 'llamacpp', window, script: SCRIPT });
  const servers = {
    own: { baseUrl: `${program.origin}/v1`, family: 'llamacpp' as const, price: { input: 0, output: 0 } },
  };
  const unlimited = { 'limits.tokens': 0, 'limits.toolCalls': 0, 'limits.turns': 0, 'limits.minutes': 0 };
  const settings = { servers, model: 'own/m', approve: 'auto', 'sandbox.driver': 'host', ...unlimited } as const;
  await using klaus = await createKlaus({ home: place.home, cwd: place.workspace, env: place.env, settings });
  const session = await klaus.open();
  for (let prompt = 0; prompt < PROMPTS; prompt++) {
    await session.prompt(`Work on the files, round ${prompt}.`);
    expect(await session.advance()).toMatchObject({ finished: { outcome: 'done' } });
  }
  const events = await Array.fromAsync(session.events());
  expect(ofType(events, 'tool.finished').map(({ outcome }) => outcome)).toEqual(
    Array.from({ length: PROMPTS * CALLS.length }, () => 'ok'),
  );
  if (window < 10_000) expect(ofType(events, 'context.compacted').length).toBeGreaterThan(0);
  expect(ofType(events, 'model.attempted').map(({ outcome }) => outcome)).not.toContain('context_window');
  // Prompt and answer together, with four bytes for a token.
  for (const body of program.bodies) {
    const { max_tokens: answer } = body as unknown as { max_tokens: number };
    expect(Buffer.byteLength(JSON.stringify(body)) / 4 + answer).toBeLessThan(window);
  }
});

test('several long results of one turn fit in 8,192 tokens', async () => {
  using place = createTestHome({ 'long.txt': LONG });
  const calls = Array.from({ length: 4 }, () => ({ name: 'run_command', input: { command: 'cat long.txt' } }));
  const script = JSON.stringify({
    steps: [
      { when: { tools: true, after: 'run_command' }, reply: { text: 'done' } },
      { when: { tools: true }, reply: { calls } },
    ],
    fallback: { text: 'notes' },
  });
  const [window] = WINDOWS;
  await using program = await startLocalProgram({ family: 'llamacpp', window, script });
  const servers = { own: { baseUrl: `${program.origin}/v1`, family: 'llamacpp' as const } };
  const settings = { servers, model: 'own/m', approve: 'auto', 'sandbox.driver': 'host' } as const;
  await using klaus = await createKlaus({ home: place.home, cwd: place.workspace, env: place.env, settings });
  const session = await klaus.open();
  await session.prompt('Read it.');
  expect(await session.advance()).toMatchObject({ finished: { outcome: 'done' } });
  const events = await Array.fromAsync(session.events());
  const sizes = ofType(events, 'tool.finished').map(({ output }) => output.length);
  expect(sizes).toHaveLength(calls.length);
  for (const size of sizes) expect(size).toBeLessThan(window! / 2);
});
