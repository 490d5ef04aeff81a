// Covers apps/cli: answers that match a JSON Schema.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Script } from '@klaus/sdk';
import { expect, test } from 'vitest';
import { type KlausOptions, runKlaus, startServer } from '../fixtures/klaus.ts';
import { startServeProcess } from '../fixtures/server.ts';
import { createTestHome, type TestHome } from '../fixtures/test-home.ts';

const SCHEMA = { type: 'object', properties: { count: { type: 'integer' } }, required: ['count'] };
const GOOD = 'Counted:\n```json\n{"count": 3}\n```';
const TITLE = { when: { tools: false }, reply: { text: 'A title' } };

/** Answers in this order; each later one answers a correction. */
const answers = (...texts: string[]): Script => ({
  steps: [TITLE, ...texts.map((text, turn) => ({ when: { turn }, reply: { text } }))],
});

function run(place: TestHome, words: readonly string[], options: Partial<KlausOptions>) {
  const file = join(place.workspace, 'schema.json');
  writeFileSync(file, JSON.stringify(SCHEMA));
  return runKlaus(['--output-schema', file, ...words, 'count'], { place, ...options });
}

test('the answer is printed as JSON; the schema is in the prompt, not in the system prompt', async () => {
  using place = createTestHome();
  await using server = await startServer(answers(GOOD));
  expect(await run(place, [], { server })).toMatchObject({ code: 0, stdout: '{\n  "count": 3\n}\n' });
  const { messages, system } = server.requests.find(({ json }) => (json as { tools?: unknown }).tools)!.json as {
    messages: unknown;
    system: unknown;
  };
  expect(JSON.stringify(messages)).toContain('integer');
  expect(JSON.stringify(system)).not.toContain('"count');
});

test('an answer that does not match is asked for again, with its mistakes, in the same session', async () => {
  using place = createTestHome();
  await using server = await startServer(answers('three', '{"count":"three"}', GOOD));
  const { code, stdout } = await run(place, ['--output-format', 'json'], { server });
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ outcome: 'done', result: { count: 3 }, schemaErrors: [], turns: 3 });
  expect(server.requests.at(-1)!.body).toContain('/count');
});

test('after two corrections the command fails: exit 1', async () => {
  using place = createTestHome();
  await using server = await startServer(answers('a', 'b', 'c', GOOD));
  expect(await run(place, [], { server })).toMatchObject({ code: 1, stdout: '' });
  await using second = await startServer(answers('a', 'b', '{"count":1.5}', GOOD));
  const { code, stdout } = await run(place, ['--output-format', 'json'], { server: second });
  expect(code).toBe(1);
  const document = JSON.parse(stdout) as { schemaErrors: string[] };
  expect(document).toMatchObject({ outcome: 'done', exitCode: 1, result: null, answer: '{"count":1.5}', turns: 3 });
  expect(document.schemaErrors).toEqual([expect.stringContaining('/count')]);
});

test('a run that is not done is not asked again, and keeps its exit code', async () => {
  using place = createTestHome();
  await using server = await startServer({
    steps: [{ reply: { text: 'x' }, faults: [{ kind: 'status', status: 401, always: true }] }],
  });
  const { code, stdout } = await run(place, ['--output-format', 'json'], { server });
  expect(code).toBe(3);
  expect(JSON.parse(stdout)).toMatchObject({ outcome: 'model_failed', result: null, schemaErrors: [] });
});

test('a file that is no schema, and events, are refused before anything runs: exit 2', async () => {
  using place = createTestHome();
  await using server = await startServer(answers(GOOD));
  writeFileSync(join(place.workspace, 'bad.json'), '{"type":"nothing"}');
  for (const words of [['bad.json'], ['missing.json'], ['bad.json', '--json']])
    expect(await runKlaus(['count', '--output-schema', ...words], { place, server })).toMatchObject({
      code: 2,
      stdout: '',
    });
  expect(server.requests).toEqual([]);
});

test('it works at a server', { tags: ['long'] }, async () => {
  using place = createTestHome();
  await using server = await startServer(answers('three', GOOD));
  const serve = await startServeProcess(place, server);
  try {
    const env = {
      KLAUS_HOME: join(place.home, '..', 'elsewhere'),
      KLAUS_SERVER: serve.url,
      KLAUS_SERVER_TOKEN: serve.headers['authorization']!.replace('Bearer ', ''),
    };
    const { code, stdout } = await run(place, ['--output-format', 'json'], { env });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ outcome: 'done', result: { count: 3 }, turns: 2 });
  } finally {
    serve.process.kill('SIGTERM');
    await serve.process.ended;
  }
});
