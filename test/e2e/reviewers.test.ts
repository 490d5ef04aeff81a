// Covers core/agent/review: reviewers of the calls of a session.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Event } from '@klaus/sdk';
import { expect, test } from 'vitest';
import { createTestEngine, ofType, type TestEngine, type TestEngineOptions } from '../fixtures/engine.ts';

const KEY = (_: unknown, url: string) => ({ ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: url });
const verdict = (word: string, reason: string) => ({
  calls: [{ name: 'give_verdict', input: { verdict: word, reason } }],
});
const edit = (old: string, text: string) => ({
  name: 'edit_file',
  input: { path: 'a.js', edits: [{ old, new: text }] },
});

async function run(given: Omit<TestEngineOptions, 'env'> & { use: string[]; hasKey?: boolean }, prompt: string) {
  const { use, hasKey = true, settings, ...options } = given;
  const engine = await createTestEngine({
    ...options,
    settings: { 'reviewers.use': use, ...settings },
    ...(hasKey ? { env: KEY } : {}),
  });
  const session = await engine.klaus.open();
  await session.prompt(prompt);
  await session.advance();
  return { engine, session, events: await Array.fromAsync(session.events()) };
}

test('an edit that only changes style is denied by the rules, without a request', async () => {
  const { engine, events } = await run(
    {
      use: ['style-drift'],
      files: { 'a.js': "const a = 'one';\n" },
      script: {
        steps: [
          { when: { tools: false }, reply: { text: 'A title' } },
          { when: { turn: 0 }, reply: { calls: [edit("'one'", '"one"')] } },
          { when: { turn: 1 }, reply: { text: 'I left it.' } },
        ],
      },
    },
    'Fix the crash in a.js',
  );
  await using _ = engine;
  console.log(JSON.stringify(ofType(events, 'gate.decided'), null, 1), ofType(events, 'tool.finished'));
  expect(readFileSync(join(engine.place.workspace, 'a.js'), 'utf8')).toBe("const a = 'one';\n");
});
