// Covers adapters/mcp, sdk/mcp, core/agent/calls: tools of MCP servers in the loop.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ofType } from '../fixtures/engine.ts';
import { test as boxed } from '../fixtures/sandboxed.ts';
import { runCalls, toEntry, use } from './open-session.ts';
import { splitCases } from '../fixtures/split-cases.ts';

// Without a sandbox, each call that may run something would ask after the first result.
boxed('tools are found, called and logged by their name, and the log replays without the server', async () => {
  const calls = [
    { name: 'tool_search', input: { query: 'repeat text' } },
    use('mcp__one__echo', { text: 'hello' }),
    use('mcp__one__save', { path: 'new.txt', text: 'written' }),
    use('mcp__one__count'),
    use('mcp__one__look'),
    use('mcp__one__refuse'),
    use('mcp__one__list_resources'),
    use('mcp__one__read_resource', { uri: 'note:one' }),
  ];
  await using run = await runCalls({ one: toEntry() }, calls, {
    settings: { 'sandbox.driver': 'bubblewrap' },
    reading: { one: ['echo', 'count', 'look'] },
  });
  const [search, echo, save, count, look, refuse, list, read] = run.results;
  expect(search!.output).toContain('mcp__one__echo (read): Repeat a text.');
  expect(echo).toMatchObject({
    name: 'mcp__one__echo',
    outcome: 'ok',
    detail: { server: 'one' },
    isUntrusted: true,
  });
  expect(echo!.output.split('\n').slice(1)).toEqual(['echo hello']);
  expect(save).toMatchObject({ outcome: 'ok' });
  expect(readFileSync(join(run.engine.place.workspace, 'new.txt'), 'utf8')).toBe('written');
  expect(count!.detail).toMatchObject({ structured: { numbers: [1, 2] } });
  expect(look!.output.split('\n').slice(1)).toEqual([
    'A dot.',
    '[image/jpeg, 72 bytes, image 1 below]',
    '[image/png, 3 bytes, not shown]',
    '[audio/wav, 3 bytes, not shown]',
    '[resource dot:one]',
    '[image/png, 72 bytes, image 2 below]',
    '[resource note:one one]',
    '[image/png, 6291456 bytes, not shown]',
  ]);
  const [image] = ofType(run.events, 'tool.finished').flatMap(({ images = [] }) => images);
  expect(image).toMatchObject({ type: 'image', mediaType: 'image/png' });
  const after = run.engine.server.requests.filter(({ body }) => body.includes('image 2 below'));
  expect(after[0]!.body.split(image!.data)).toHaveLength(3);
  expect(refuse).toMatchObject({ outcome: 'error', output: expect.stringContaining('it is not possible') });
  expect(list!.output).toContain('note:one');
  expect(read!.output).toContain('the note');
  const started = ofType(run.events, 'tool.started');
  expect(started.map(({ resume }) => resume)).toEqual([
    'repeat',
    'repeat',
    'tell',
    'repeat',
    'repeat',
    'tell',
    'repeat',
    'repeat',
  ]);
  expect(await run.session.replay()).toMatchObject({ outcome: 'equal' });
});

for (const { cases, tags } of splitCases(
  [
    ['an input that does not match the schema', 'mcp__one__echo', { text: 7 }, 'tool.input'],
    ['a tool that the server does not have', 'mcp__one__ecko', {}, 'tool.unknown'],
    ['a server that the session does not have', 'mcp__two__echo', {}, 'tool.unknown'],
    ['an answer without a result', 'mcp__one__lie', {}, 'mcp.failed'],
    ['a result of more than 16 MiB', 'mcp__one__flood', {}, 'mcp.failed'],
    ['a server that ends', 'mcp__one__die', {}, 'mcp.lost'],
  ],
  2,
))
  test.each(cases)('%s is an error for the model', { tags }, async (_, name, input, code) => {
    const calls = [use(name, input), use('mcp__one__echo', { text: 'again' })];
    await using run = await runCalls({ one: toEntry() }, calls, { user: 'yes' });
    const [failed, again] = run.results;
    expect(failed).toMatchObject({ outcome: 'error', detail: { code } });
    // The next call starts the server again.
    expect(again).toMatchObject({ outcome: 'ok' });
    expect(await run.session.replay()).toMatchObject({ outcome: 'equal' });
  });

for (const { cases, tags } of splitCases(
  [
    ['dies', 'mcp.failed'],
    ['garbage', 'mcp.failed'],
    ['late-garbage', 'mcp.failed'],
    ['endless', 'mcp.failed'],
  ],
  2,
))
  test.each(cases)('a server that is %s is an error, and others work', { tags }, async (behaviour, code) => {
    const calls = [
      { name: 'tool_search', input: { query: 'echo repeat' } },
      use('mcp__bad__echo', { text: 'x' }),
      use('mcp__good__echo', { text: 'x' }),
    ];
    // Without a sandbox, a call of one server after a text of another one asks.
    await using run = await runCalls({ bad: toEntry(behaviour), good: toEntry() }, calls, { user: 'yes' });
    expect(run.results[0]).toMatchObject({ outcome: 'ok', output: expect.stringContaining('mcp__good__echo') });
    expect(run.results[1]).toMatchObject({ outcome: 'error', detail: { code } });
    expect(run.results[2]).toMatchObject({ outcome: 'ok' });
  });

test.each(['greets', 'noisy'])('a server that is %s works', async (behaviour) => {
  await using run = await runCalls({ one: toEntry(behaviour) }, [use('mcp__one__echo', { text: 'x' })]);
  expect(run.results).toMatchObject([{ outcome: 'ok' }]);
});

test('a tool that the server adds later is found', async () => {
  const calls = [
    use('mcp__one__grow'),
    { name: 'tool_search', input: { query: 'grown' } },
    use('mcp__one__grown', { text: 'x' }),
  ];
  await using run = await runCalls({ one: toEntry() }, calls, { settings: { 'sandbox.driver': 'bubblewrap' } });
  expect(run.results[2]).toMatchObject({ name: 'mcp__one__grown', outcome: 'ok' });
});

test('200 tools add at most 200 bytes to the first request', { tags: ['long'] }, async () => {
  const calls = [{ name: 'tool_search', input: { query: 'tool_150' } }, use('mcp__many__tool_150', { text: 'x' })];
  await using without = await runCalls({}, calls);
  await using run = await runCalls({ many: toEntry('many') }, calls, { user: 'yes' });
  const sizeOf = ({ engine }: typeof run): number =>
    Buffer.byteLength(engine.server.requests[0]!.body.replaceAll(engine.place.workspace, ''));
  const added = sizeOf(run) - sizeOf(without);
  expect(added).toBeGreaterThan(0);
  expect(added).toBeLessThanOrEqual(200);
  expect(run.results[1]).toMatchObject({ outcome: 'ok' });
  // The names of the others do not fill the result of a search either.
  expect(run.results[0]!.output.length).toBeLessThan(8_000);
});
