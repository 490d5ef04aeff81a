import { expect, test } from 'vitest';
import { createChannel } from './channel.ts';

test('each reader gets all messages, also one that begins after the end', async () => {
  const { messages, push, end } = createChannel<number>();
  const first = Array.fromAsync(messages);
  push(1);
  await Promise.resolve();
  const second = Array.fromAsync(messages);
  push(2);
  end();
  push(3);
  expect(await Promise.all([first, second, Array.fromAsync(messages)])).toEqual([
    [1, 2],
    [1, 2],
    [1, 2],
  ]);
});

test('a reader may leave early', async () => {
  const { messages, push, end } = createChannel<number>();
  push(1);
  push(2);
  for await (const message of messages) if (message === 1) break;
  end();
  expect(await Array.fromAsync(messages)).toEqual([1, 2]);
});
