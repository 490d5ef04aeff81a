// Covers sdk/sessions: invalid answers of klaus.answer are rejected.
import { expect, test } from 'vitest';
import type { Script } from '@klaus/adapters/models';
import { hunksOf } from '@klaus/core/protocol';
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
    [['01K', 'approved'], /\b01K\b/],
    [['', 'approved'], /""/, /klaus\.approvals/],
    [[undefined, 'approved'], /\bundefined\b/, /approval\.asked/],
    [[row, 'approved'], /\bobject\b/],
    [[id], /\bundefined\b/, /'approved'.*'rejected'/],
    [[id, 'yes'], /"yes"/, /'approved'.*'rejected'/],
    [[id, true], /\btrue\b/],
    [[id, 'approved', 'session'], /\boptions\b.*"session"/],
    [[id, 'approved', null], /\boptions\b.*\bnull\b/],
    [[id, 'approved', { hunk: { accepted: [] } }], /`hunk`/, /by, note, hunks, scope/],
    [[id, 'approved', { scope: 'forever' }], /`scope`/],
    [[id, 'approved', { note: 5 }], /`note`/],
    [[id, 'approved', { by: {} }], /`by`/],
    [[id, 'approved', { hunks: { accepted: 'h1' } }], /`hunks\.accepted`/],
    [[id, 'approved', { hunks: { accepted: ['h99'] } }], /\bh99\b/],
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

test.each(['approved', 'approved in part'])('a note with "%s" is in the result of the call', async (how) => {
  const content = `${'line\n'.repeat(20)}two\n`;
  const script: Script = {
    steps: [
      { when: { tools: false }, reply: { text: 'A title' } },
      { reply: { calls: [{ name: 'write_file', input: { path: 'a.txt', content: `zero\n${content}` } }] } },
      { reply: { text: 'Done.' } },
    ],
  };
  await using engine = await createTestEngine({ script, files: { 'a.txt': content.replace('two', 'one') } });
  const { klaus } = engine;
  const session = await klaus.open({ mode: 'ask' });
  await session.prompt('begin', { onAsk: 'wait' });
  await session.advance();
  const [asked] = ofType(await Array.fromAsync(session.events()), 'approval.asked');
  const [first, second] = hunksOf(asked!);
  expect(second).toBeDefined();
  const hunks = how === 'approved' ? {} : { hunks: { accepted: [first!.id] } };
  await klaus.answer(asked!.approval, 'approved', { note: 'Mind the end.', ...hunks });
  await session.advance();
  const [finished] = ofType(await Array.fromAsync(session.events()), 'tool.finished');
  expect(finished).toMatchObject({
    outcome: 'ok',
    output: expect.stringMatching(/\nNote of the user: Mind the end\.$/),
  });
});
