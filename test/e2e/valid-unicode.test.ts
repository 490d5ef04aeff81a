// Covers adapters/models/wire, adapters/store, core/agent, sdk/transcript: requests, events and outputs are valid Unicode.
import { defineTool, type Session } from '@klaus/sdk';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { createTestEngine } from '../fixtures/engine.ts';
import { runKlaus } from '../fixtures/klaus.ts';

/** An escape of a half of a surrogate pair that is not itself escaped. */
const LONE = /(?<!\\)(?:\\\\)*\\ud[89a-f][0-9a-f]{2}/i;

const EMOJI = `a${'😀'.repeat(9_000)}`;

async function run(session: Session, prompt: string): Promise<string | undefined> {
  await session.prompt(prompt);
  const advanced = await session.advance();
  return advanced.state === 'idle' ? advanced.finished?.outcome : advanced.state;
}

/** Returns text with halves of pairs, as a faulty MCP server does. */
const broken = defineTool({
  name: 'broken',
  description: 'Returns half a character.',
  input: z.object({ text: z.string() }),
  effects: ['read'],
  resume: 'repeat',
  run: async ({ text }) => ({ text: `half \ud83d x ${text}`, detail: { name: 'file-\udc80.txt' } }),
});

test.each(['anthropic', 'openai', 'responses'] as const)('%s', async (wire) => {
  await using engine = await createTestEngine({
    files: { 'emoji.txt': EMOJI, 'b.txt': `ab${'😀'.repeat(9_000)}` },
    tools: [broken],
    script: {
      wire,
      steps: [
        {
          when: { turn: 0, tools: true },
          reply: {
            thinking: 'hm \ud83d',
            text: 'I say \ud83d half',
            calls: [
              { name: 'read_file', input: { path: 'emoji.txt' } },
              { name: 'run_command', input: { command: 'cat emoji.txt' } },
              { name: 'run_command', input: { command: 'cat b.txt' } },
              { name: 'broken', input: { text: 'and \ude00' } },
              { name: 'read \ud83d', input: {} },
              { name: 'read_file', raw: '{"path": "half \\ud83d.txt"}' },
            ],
          },
        },
      ],
      fallback: { text: 'done' },
    },
    settings: { approve: 'auto' },
  });
  const session = await engine.klaus.open();
  expect(await run(session, 'pasted half \ud83d')).toBe('done');
  expect(await run(session, 'and again \ude00')).toBe('done');
  const events = await Array.fromAsync(session.events());
  expect(events.map((event) => JSON.stringify(event)).filter((json) => LONE.test(json))).toEqual([]);
  for (const { body } of engine.server.requests) {
    expect(LONE.exec(body)?.[0]).toBeUndefined();
    // Arguments are JSON within JSON.
    expect(/\\\\ud[89a-f]/.exec(body)?.[0]).toBeUndefined();
  }
  const results = events.flatMap((event) => (event.type === 'tool.finished' ? [event.output] : []));
  // The cut texts have no replaced characters: they are cut between characters.
  for (const output of results.slice(0, 3))
    expect([output.length < 20_000, output.includes('\ufffd')]).toEqual([true, false]);
  await engine.klaus.close();
  const exported = await runKlaus(['export', session.id, '--format', 'json'], { place: engine.place });
  expect(exported.code).toBe(0);
  expect(LONE.exec(exported.stdout)?.[0]).toBeUndefined();
  expect(exported.stdout).toContain('half \ufffd x');
});
