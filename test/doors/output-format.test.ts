// Covers apps/cli: the formats of the output for programs.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Script } from '@klaus/sdk';
import { expect, test } from 'vitest';
import { runKlaus, startServer, toEvents } from '../fixtures/klaus.ts';
import { createTestHome } from '../fixtures/test-home.ts';

const WRITE: Script = {
  steps: [
    {
      reply: {
        text: 'First a file.',
        calls: [
          { name: 'write_file', input: { path: 'new.txt', content: 'new\n' } },
          { name: 'write_file', input: { path: 'old.txt', content: 'changed\n' } },
        ],
      },
    },
    { when: { turn: 1, result: 'new.txt' }, reply: { text: 'Written.' } },
    { when: { turn: 2 }, reply: { calls: [{ name: 'write_file', input: { path: 'b.txt', content: 'b\n' } }] } },
    { when: { turn: 3 }, reply: { text: 'Again.' } },
  ],
  fallback: { text: 'A title' },
};

const ALLOW = ['--approve', 'edits'];

test('json prints one document: answer, outcome, usage and changed files; --session adds those of its own run', async () => {
  using place = createTestHome();
  await using server = await startServer(WRITE);
  writeFileSync(join(place.workspace, 'old.txt'), 'old\n');
  const first = await runKlaus([...ALLOW, '--output-format', 'json', 'write'], { place, server });
  expect(first).toMatchObject({ code: 0, stderr: '' });
  const document = JSON.parse(first.stdout) as Record<string, unknown>;
  const events = toEvents((await runKlaus(['show', String(document['session']), '--json'], { place })).stdout);
  const finished = events.find((event) => event.type === 'run.finished')!;
  expect(document).toEqual({
    session: events[0]!.session,
    outcome: 'done',
    exitCode: 0,
    reason: finished.reason,
    answer: 'Written.',
    usage: finished.usage,
    usd: finished.usd,
    turns: 2,
    toolCalls: 2,
    changedFiles: [
      { path: 'new.txt', kind: 'created' },
      { path: 'old.txt', kind: 'modified' },
    ],
    evidence: [],
    claim: finished.claim ?? null,
    approvals: [],
    error: null,
  });
  const again = await runKlaus(
    ['run', ...ALLOW, '--session', String(document['session']), '--output-format=json', 'again'],
    { place, server },
  );
  expect(JSON.parse(again.stdout)).toMatchObject({
    session: document['session'],
    answer: 'Again.',
    turns: 2,
    changedFiles: [{ path: 'b.txt', kind: 'created' }],
  });
});

test('json of a run that waits lists the approval', async () => {
  using place = createTestHome();
  await using server = await startServer(WRITE);
  const parked = await runKlaus(['--approve', 'ask', '--on-ask', 'wait', '--output-format', 'json', 'write'], {
    place,
    server,
  });
  expect(parked.code).toBe(8);
  const document = JSON.parse(parked.stdout) as { session: string; approvals: { id: string }[] };
  expect(document).toMatchObject({ outcome: 'waiting', exitCode: 8, answer: '', changedFiles: [] });
  expect(document.approvals.length).toBeGreaterThan(0);
});

test('stream-json is --json, and text is the default', { tags: ['long'] }, async () => {
  using place = createTestHome();
  await using server = await startServer({ steps: [], fallback: { text: 'Hello.' } });
  const types = async (...words: string[]) =>
    toEvents((await runKlaus([...words, 'hi'], { place, server })).stdout).map(({ type }) => type);
  expect(await types('--output-format', 'stream-json')).toEqual(await types('--json'));
  expect((await runKlaus(['--output-format', 'text', 'hi'], { place, server })).stdout).toBe('Hello.\n');
});

test.each([['json'], ['stream-json']])('an error with --output-format %s is JSON', async (format) => {
  using place = createTestHome();
  for (const words of [
    ['resume', 'nothing', `--output-format=${format}`],
    ['resume', 'nothing', '--output-format', format],
  ]) {
    const { code, stdout, stderr } = await runKlaus(words, { place });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'usage', exitCode: 2 } });
  }
  const { code, stderr } = await runKlaus(['resume', 'nothing', '--json', '--output-format', format], { place });
  expect(code).toBe(2);
  expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'usage' } });
});

test('a run whose model failed is one document too: exit 4', async () => {
  using place = createTestHome();
  await using server = await startServer({
    steps: [{ reply: { text: 'x' }, faults: [{ kind: 'status', status: 500, always: true }] }],
  });
  const { code, stdout } = await runKlaus(['--output-format', 'json', 'hi'], { place, server });
  expect(code).toBe(4);
  expect(JSON.parse(stdout)).toMatchObject({ outcome: 'model_failed', exitCode: 4, answer: '', usage: { output: 0 } });
});
