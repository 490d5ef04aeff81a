// Covers core/agent/context: shortened inputs in the history.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createTestEngine, ofType } from '../fixtures/engine.ts';

const UNLIMITED = { 'limits.tokens': 0, 'limits.toolCalls': 0 };

test.each(['anthropic', 'openai'] as const)(
  '10 MB of arguments that are no JSON do not fill the context: %s',
  async (wire) => {
    const raw = `{"path": "${'y'.repeat(10_000_000)}`;
    await using engine = await createTestEngine({
      settings: UNLIMITED,
      script: {
        wire,
        steps: [
          { when: { turn: 0 }, reply: { calls: [{ name: 'read_file', raw }] }, chunk: 1_000_000 },
          {
            when: { turn: 1, after: 'read_file' },
            reply: { calls: [{ name: 'read_file', input: { path: 'README.md' } }] },
          },
          { when: { turn: 2 }, reply: { text: 'Done.' } },
        ],
      },
    });
    const session = await engine.klaus.open();
    await session.prompt('read');
    expect(await session.advance()).toMatchObject({ finished: { outcome: 'done' } });
    const events = await Array.fromAsync(session.events());
    expect(ofType(events, 'tool.finished').map(({ outcome }) => outcome)).toEqual(['error', 'ok']);
    expect(ofType(events, 'context.compacted')).toEqual([]);
    // The log has the complete input; all requests have the same shortened form.
    expect(JSON.stringify(events).length).toBeGreaterThan(10_000_000);
    const [, second, third] = engine.server.requests.map(({ body }) => body);
    expect(third!.length).toBeLessThan(60_000);
    const history = second!.slice(0, second!.lastIndexOf('[… '));
    expect(history.length).toBeGreaterThan(6_000);
    expect(third!.startsWith(history)).toBe(true);
    // Read again from the log, it is the same.
    await session.prompt('more');
    await session.advance();
    expect(engine.server.requests.at(-1)!.body.startsWith(history)).toBe(true);
  },
);

test('a long file is written completely although the history shows a part of it', async () => {
  const content = `${Array.from({ length: 20_000 }, (_, at) => `line ${at}`).join('\n')}\n`;
  await using engine = await createTestEngine({
    settings: UNLIMITED,
    script: {
      steps: [
        {
          when: { turn: 0 },
          reply: { calls: [{ name: 'write_file', input: { path: 'long.txt', content } }] },
          chunk: 100_000,
        },
        { when: { turn: 1 }, reply: { text: 'Done.' } },
      ],
    },
  });
  const session = await engine.klaus.open();
  await session.prompt('write');
  await session.advance();
  expect(readFileSync(join(engine.place.workspace, 'long.txt'), 'utf8')).toBe(content);
  expect(engine.server.requests.at(-1)!.body).toMatch(/line 9\\n.*\[… \d+ .*line 19999/);
});
