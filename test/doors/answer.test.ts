// Covers sdk/sessions: invalid answers of klaus.answer are rejected.
import { expect, test } from 'vitest';
import type { Script } from '@klaus/adapters/models';
import { createTestEngine, ofType } from '../fixtures/engine.ts';

const SCRIPT: Script = {
  steps: [
    { when: { tools: false }, reply: { text: 'A title' } },
    { reply: { calls: [{ name: 'write_file', input: { path: 'a.txt', content: 'two\n' } }] } },
    { reply: { text: 'Done.' } },
  ],
};

test('an answer with wrong arguments is refused with their names and sends nothing; a correct one is sent', async () => {
  await using engine = await createTestEngine({ script: SCRIPT, files: { 'a.txt': 'one\n' } });
  const { klaus } = engine;
  const session = await klaus.open({ mode: 'ask' });
  await session.prompt('begin', { onAsk: 'wait' });
  expect(await session.advance()).toMatchObject({ state: 'parked' });
  const [row] = await klaus.approvals();
  const { id } = row!;
  // As JavaScript calls it.
  const answer = klaus.answer.bind(klaus) as (...given: unknown[]) => Promise<unknown>;
  const wrong: [given: unknown[], named: RegExp, hint?: RegExp][] = [
    [['01K', 'approved'], /no approval 01K/],
    [['', 'approved'], /string, not ""/, /klaus\.approvals/],
    [[undefined, 'approved'], /string, not undefined/, /approval\.asked/],
    [[row, 'approved'], /string, not an object/],
    [[id], /undefined is not an answer/, /'approved' or 'rejected'/],
    [[id, 'yes'], /"yes" is not an answer/, /'approved' or 'rejected'/],
    [[id, true], /true is not an answer/],
    [[id, 'approved', 'session'], /options .* not "session"/],
    [[id, 'approved', null], /options .* not null/],
    [[id, 'approved', { hunk: { accepted: [] } }], /no option `hunk`/, /by, note, hunks, scope/],
    [[id, 'approved', { scope: 'forever' }], /`scope`/],
    [[id, 'approved', { note: 5 }], /`note`/],
    [[id, 'approved', { by: {} }], /`by`/],
    [[id, 'approved', { hunks: { accepted: 'h1' } }], /`hunks\.accepted`/],
    [[id, 'approved', { hunks: { accepted: ['h99'] } }], /no hunk h99/],
  ];
  const length = (await Array.fromAsync(session.events())).length;
  for (const [given, message, hint] of wrong) {
    const expected = { code: 'usage', message: expect.stringMatching(message) };
    const name = JSON.stringify(given);
    await expect(answer(...given), name).rejects.toMatchObject(
      hint ? { ...expected, hint: expect.stringMatching(hint) } : expected,
    );
  }
  expect(await session.applyQueuedCommands()).toBe(true);
  expect(await Array.fromAsync(session.events())).toHaveLength(length);
  expect(await klaus.approvals()).toHaveLength(1);

  await answer(id.slice(0, 20), 'approved', { by: 'test', scope: undefined, note: undefined });
  expect(await session.advance()).toMatchObject({ finished: { outcome: 'done' } });
  expect(ofType(await Array.fromAsync(session.events()), 'approval.answered')).toMatchObject([
    { approval: id, answer: 'approved', by: 'test' },
  ]);
});
