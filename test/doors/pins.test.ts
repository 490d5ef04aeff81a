// Covers apps/cli/commands, core/agent/context: klaus pin and unpin.
import type { Script } from '@klaus/sdk';
import { expect, test } from 'vitest';
import { listSessions, runKlaus, startServer } from '../fixtures/klaus.ts';
import { createTestHome } from '../fixtures/test-home.ts';

const ANSWER: Script = { steps: [], fallback: { text: 'The walrus is in the cellar.' } };

test('a text is pinned, listed, shown and unpinned', async () => {
  using place = createTestHome();
  await using server = await startServer(ANSWER);
  await runKlaus(['run', '--pin', 'Where is the walrus?'], { place, server });
  const [{ id } = { id: '' }] = await listSessions(place);

  const given = await runKlaus(['pin', id.slice(0, 20), 'Never', 'touch src/legacy.'], { place });
  expect(given).toMatchObject({ code: 0, stdout: expect.stringMatching(/^[^\n]*\b[0-9A-Z]{26}\b[^\n]*\n$/) });
  const piped = await runKlaus(['pin', id, '-'], { place, stdin: '  from a pipe\nof two lines\n' });
  expect(piped.code).toBe(0);

  const found = await runKlaus(['show', id, '--grep', 'walrus cellar', '--json'], { place });
  const [hit] = found.stdout
    .split('\n')
    .map((line) => (line === '' ? undefined : (JSON.parse(line) as { seq: number })));
  expect(hit).toMatchObject({ title: 'the assistant', text: 'The walrus is in the cellar.' });
  const record = await runKlaus(['pin', id, '--message', String(hit!.seq), '--json'], { place });
  const { pin, applied } = JSON.parse(record.stdout) as { pin: string; applied: boolean };
  expect(applied).toBe(true);

  const list = await runKlaus(['pin', id, '--json'], { place });
  const rows = list.stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as { text: string });
  expect(rows).toMatchObject([
    { text: 'Where is the walrus?' },
    { text: 'Never touch src/legacy.' },
    { text: 'from a pipe\nof two lines' },
    { id: pin, text: 'The walrus is in the cellar.', source: `the assistant, seq ${hit!.seq}` },
  ]);
  expect(await runKlaus(['unpin', id, pin.toLowerCase()], { place })).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(pin),
  });
  const again = await runKlaus(['unpin', id, pin], { place });
  expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining(pin) });
  const shown = await runKlaus(['show', id, '--plain'], { place });
  expect(shown.stdout).toMatch(/\b[0-9A-Z]{26}\b.*\bcli\b.*Never touch src\/legacy\./);
  // One line for the pin, and one for its removal.
  expect(shown.stdout.match(new RegExp(`\\b${pin}\\b.*\\bcli\\b`, 'g'))).toHaveLength(2);

  // The next request has the pinned texts, and the prompt only once.
  await runKlaus(['--session', id, 'and now?'], { place, server });
  const body = server.requests.at(-1)!.body;
  expect(body).toContain('Never touch src/legacy.');
  expect(body.split('Where is the walrus?')).toHaveLength(2);
});

test('an invalid pin is refused with the reason, and nothing is pinned', { tags: ['long'] }, async () => {
  using place = createTestHome();
  await using server = await startServer(ANSWER);
  await runKlaus(['run', 'one'], { place, server });
  const [{ id } = { id: '' }] = await listSessions(place);
  const seq = await runKlaus(['pin', id, '--message', '1'], { place });
  expect(seq).toMatchObject({ code: 2, stderr: expect.stringMatching(new RegExp(`\\b1\\b.*\\b${id}\\b`)) });
  expect(await runKlaus(['pin', id, '   '], { place })).toMatchObject({ code: 2 });
  expect(await runKlaus(['pin', id, 'text', '--message', '3'], { place })).toMatchObject({ code: 2 });
  expect(await runKlaus(['pin', id, '--message', 'x'], { place })).toMatchObject({ code: 2 });
  const large = await runKlaus(['pin', id, '-'], { place, server, stdin: 'word '.repeat(400_000) });
  expect(large.code).toBe(2);
  expect(large.stderr).toMatch(/\b19\d+\b.*\b10 %.*\b\d+\b/);
  const prompt = await runKlaus(['run', '--pin', '-'], { place, server, stdin: 'word '.repeat(19_900) });
  expect([0, 2]).toContain(prompt.code);
  const list = await runKlaus(['pin', id], { place });
  expect(list).toMatchObject({ code: 0, stdout: '', stderr: expect.stringContaining(`klaus pin ${id}`) });
  const nothing = await runKlaus(['show', id, '--grep', 'photosynthesis'], { place });
  expect(nothing).toMatchObject({ code: 0, stdout: '', stderr: expect.stringContaining(id) });
});
