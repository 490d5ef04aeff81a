// Covers apps/debug-cli/host: the connection to the program.
import type { FailureCode } from 'klendathu/contract';
import { expect, test } from 'vitest';
import { connectHost, HostTimeout } from '../../apps/debug-cli/host/host-connection.ts';
import { startTestHost } from './host.fixture.ts';

const never = new AbortController().signal;

test.each(['die', 'garbage', 'hang'] as const)(
  'a first request that is answered with %s is a failure',
  async (fault) => {
    await using host = await startTestHost({ fault, isFaultyAtOnce: true });
    const connecting = connectHost({ url: host.url, timeoutMs: 300, signal: never });
    await expect(connecting).rejects.toMatchObject({ code: 'server' });
  },
);

test('a wrong token is a failure, and the token is in no message', async () => {
  await using host = await startTestHost({ token: 'right' });
  const error = await connectHost({ url: host.url, token: 'wrong-5f2a9c', timeoutMs: 5_000, signal: never }).catch(
    (reason: unknown) => reason as Error & { code: FailureCode; hint: string },
  );
  expect(error).toMatchObject({ code: 'server' });
  expect(`${(error as Error).message}`).not.toContain('wrong-5f2a9c');
});

test('an abort ends a connection that hangs', async () => {
  await using host = await startTestHost({ fault: 'hang', isFaultyAtOnce: true });
  const stop = new AbortController();
  const connecting = connectHost({ url: host.url, timeoutMs: 60_000, signal: stop.signal });
  stop.abort();
  await expect(connecting).rejects.toMatchObject({ code: 'cancelled' });
});

test('tools have their own schemas; a call that hangs is a time-out, and an exception of the program an answer', async () => {
  await using host = await startTestHost({ context: { order: { total: 7 } }, token: 'right' });
  const connection = await connectHost({ url: host.url, token: 'right', timeoutMs: 5_000, signal: never });
  expect(connection.tools).toMatchObject([
    { name: 'eval', inputSchema: { required: ['code'], additionalProperties: false } },
  ]);
  const evaluate = (code: string) => connection.call('eval', { code }, { signal: never, timeoutMs: 5_000 });
  expect(await evaluate('order.total')).toMatchObject({ isError: false, data: { result: '7' } });
  expect(await evaluate('order.total.value.x')).toMatchObject({ isError: true });
  await connection.close();
  await using slow = await startTestHost({ fault: 'hang' });
  const hanging = await connectHost({ url: slow.url, timeoutMs: 5_000, signal: never });
  const call = hanging.call('eval', { code: '1' }, { signal: never, timeoutMs: 200 });
  await expect(call).rejects.toBeInstanceOf(HostTimeout);
  await hanging.close();
});
