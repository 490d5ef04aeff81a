import type { Message } from '@klaus/sdk';
import { expect, test } from 'vitest';
import { PendingPrompts } from './pending-prompts.ts';

const message = (id: string, text: string, origin: Message['origin'] = 'user') =>
  ({ id, role: 'user', origin, parts: [{ type: 'text', text }] }) as Message;

function send(pending: PendingPrompts, text: string) {
  const ids: string[] = [];
  const parts = [{ type: 'text', text }] as const;
  const response = pending.run({ message: parts, onMessage: (id) => ids.push(id) }, () => Promise.resolve());
  return { ids, response };
}

test('a message is found by its text, once, also when secrets of it are redacted', () => {
  const pending = new PendingPrompts();
  const { ids } = send(pending, 'use key-1 and key-2, please');
  expect(pending.take(message('other', 'use nothing'))).toBe(false);
  expect(pending.take(message('model', 'use key-1 and key-2, please', 'model'))).toBe(false);
  expect(pending.take(message('longer', 'use [secret:key:0123abcd] and more, please'))).toBe(false);
  const redacted = 'use [secret:key:0123abcd] and [secret:key:4567abcd], please';
  expect(pending.take(message('own', redacted))).toBe(true);
  expect(pending.take(message('again', redacted))).toBe(false);
  expect(ids).toEqual(['own']);
});

test('prompts end with their run, a cancelled one as cancelled', async () => {
  const pending = new PendingPrompts();
  const first = send(pending, 'one');
  await pending.cancel();
  expect(pending.isCancelled(message('m', 'one').parts)).toBe(true);
  const second = send(pending, 'two');
  expect(pending.isCancelled(message('m', 'two').parts)).toBe(false);
  pending.settle(() => ({ stopReason: 'end_turn' }));
  expect(await first.response).toEqual({ stopReason: 'cancelled' });
  expect(await second.response).toEqual({ stopReason: 'end_turn' });
  expect(pending.size).toBe(0);
  const third = send(pending, 'three');
  pending.settle(() => {
    throw new Error('it failed');
  });
  await expect(third.response).rejects.toThrow('it failed');
});
