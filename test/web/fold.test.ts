// Covers core/conversation: the page's fold equals the log.
import { createKlaus, type Event } from '@klaus/sdk';
import { expect, test } from 'vitest';
import { createConversation, foldConversation, parseDiff } from '@klaus/core/conversation';
import { toHunks } from '../../core/policy/hunks.ts';
import { startServer, toEnv } from '../fixtures/klaus.ts';
import { createTestHome } from '../fixtures/test-home.ts';

async function playSession(): Promise<{ events: Event[]; usd: number | null }> {
  using place = createTestHome({ 'a.js': 'export const sum = (a, b) => a - b;\n' });
  await using model = await startServer({
    steps: [
      {
        when: { turn: 0 },
        reply: {
          thinking: 'Hm.',
          text: 'I look.',
          calls: [
            { name: 'read_file', input: { path: 'a.js' } },
            { name: 'list_files', input: {} },
          ],
        },
      },
      {
        when: { turn: 1 },
        faults: [{ kind: 'status', status: 529 }],
        reply: {
          calls: [
            { name: 'edit_file', input: { path: 'a.js', edits: [{ old: 'a - b', new: 'a + b' }] } },
            { name: 'write_file', input: { path: '.git/hooks/x', content: 'x' } },
          ],
        },
      },
      { when: { turn: 2 }, reply: { text: 'Done.' } },
    ],
  });
  await using klaus = await createKlaus({ cwd: place.workspace, env: toEnv({ place, server: model }) });
  const session = await klaus.open();
  await session.prompt('Fix it.');
  await session.advance();
  const events = await Array.fromAsync(session.events());
  return { events, usd: (await klaus.store.session(session.id))?.costUsd ?? null };
}

test('a real log folds to the same state for all sizes of pieces, with the cost of the store', async () => {
  const { events, usd } = await playSession();
  const expected = createConversation('s');
  for (const event of events) foldConversation(expected, event);
  // After a lost connection, the events overlap.
  for (const size of [1, 3, 7]) {
    const pieces = createConversation('s');
    for (let at = 0; at < events.length; at += size) {
      for (const event of events.slice(Math.max(0, at - 5), at + size)) foldConversation(pieces, event);
    }
    expect(pieces).toEqual(expected);
  }
  expect(expected.seq).toBe(events.length);
  expect(
    expected.entries.flatMap((entry) => (entry.kind === 'call' ? [[entry.name, entry.result?.outcome]] : [])),
  ).toEqual([
    ['read_file', 'ok'],
    ['list_files', 'ok'],
    ['edit_file', 'ok'],
    ['write_file', 'denied'],
  ]);
  expect([...expected.changed]).toEqual([['a.js', 'modified']]);
  expect(expected.usd).toBeCloseTo(usd!, 10);
  expect(expected.run).toBe(undefined);
  expect([...expected.changing]).toEqual([2]);
});

const BEFORE = Array.from({ length: 60 }, (_, at) => `line ${at}\n`).join('');

test('a diff is parsed to the hunks from which it was rendered', () => {
  const after = BEFORE.replace('line 0\n', '')
    .replace('line 20\n', '-- sql\n++ plus\n')
    .replace('line 59\n', 'line 59');
  const hunks = toHunks(BEFORE, after, { path: 'a.txt' });
  const text = hunks.map((it) =>
    [`@@ -${it.oldStart},${it.oldLines} +${it.newStart},${it.newLines} @@`, ...it.lines].join('\n'),
  );
  expect(parseDiff(`--- a/a.txt\n+++ b/a.txt\n${text.join('\n')}\n`)).toEqual(hunks);
});
