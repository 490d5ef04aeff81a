import { createKlaus, type Event } from '@klaus/sdk';
import { expect, test } from 'vitest';
import { describeRejected } from '../../core/agent/workspace/change-parts.ts';
import { toHunks } from '../../core/policy/hunks.ts';
import { edit, judge, NEW_REVIEW, parseDiff, toAnswer, toNewText } from '../../apps/web/diff/diff-model.ts';
import { createConversation, foldConversation } from '../../apps/web/log/conversation.ts';
import { toRejectionFeedback } from '../../apps/web/review/rejection-feedback.ts';
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
  await session.prompt('Mend it.');
  await session.advance();
  const events = await Array.fromAsync(session.events());
  return { events, usd: (await klaus.store.session(session.id))?.costUsd ?? null };
}

test('a real log folds to the same page in whatever pieces it comes, and says what the store says', async () => {
  const { events, usd } = await playSession();
  const whole = createConversation('s');
  for (const event of events) foldConversation(whole, event);
  // Every connection that breaks begins again a little before the place where it broke.
  for (const size of [1, 3, 7]) {
    const pieces = createConversation('s');
    for (let at = 0; at < events.length; at += size) {
      for (const event of events.slice(Math.max(0, at - 5), at + size)) foldConversation(pieces, event);
    }
    expect(pieces).toEqual(whole);
  }
  expect(whole.seq).toBe(events.length);
  expect(
    whole.entries.flatMap((entry) => (entry.kind === 'call' ? [[entry.name, entry.result?.outcome]] : [])),
  ).toEqual([
    ['read_file', 'ok'],
    ['list_files', 'ok'],
    ['edit_file', 'ok'],
    ['write_file', 'denied'],
  ]);
  expect([...whole.changed]).toEqual([['a.js', 'modified']]);
  expect(whole.usd).toBeCloseTo(usd!, 10);
  expect(whole.run).toBe(undefined);
  expect([...whole.changing]).toEqual([2]);
});

const BEFORE = Array.from({ length: 60 }, (_, at) => `line ${at}\n`).join('');

test('what the review says that the model is told is what the engine tells it', () => {
  const after = BEFORE.replace('line 3\n', 'drei\n').replace('line 30\n', '').replace('line 55\n', 'line 55\nmore\n');
  const hunks = toHunks(BEFORE, after, { path: 'a.txt' });
  expect(hunks.length).toBe(3);
  const review = edit(judge(NEW_REVIEW, [hunks[1]!.id], false), hunks[2]!, `${toNewText(hunks[2]!)}edited\n`);
  const { hunks: answer } = toAnswer(review, hunks);
  const change = { path: 'a.txt', kind: 'modified', before: null, after: null } as const;
  expect(toRejectionFeedback(review, hunks)).toBe(
    describeRejected([{ row: change, before: null, after: null, hunks }], answer!),
  );
});

test('a diff reads back as the hunks that it was made of', () => {
  const after = BEFORE.replace('line 0\n', '')
    .replace('line 20\n', '-- sql\n++ plus\n')
    .replace('line 59\n', 'line 59');
  const hunks = toHunks(BEFORE, after, { path: 'a.txt' });
  const text = hunks.map((it) =>
    [`@@ -${it.oldStart},${it.oldLines} +${it.newStart},${it.newLines} @@`, ...it.lines].join('\n'),
  );
  expect(parseDiff(`--- a/a.txt\n+++ b/a.txt\n${text.join('\n')}\n`)).toEqual(hunks);
});
