import { ProblemError } from '@klaus/server/client';
import type { Problem } from '@klaus/server/contract';
import { expect, test } from 'vitest';
import { retry } from './retry.ts';

/** Fails with the problem once, and reports the number of attempts. */
async function attempt({ status, code }: Pick<Problem, 'status' | 'code'>): Promise<number> {
  let attempts = 0;
  return retry({ server: 'http://127.0.0.1:1', onRetry: () => {} }, () => {
    attempts += 1;
    const failed = new ProblemError({ type: 'about:blank', title: 'No.', status, code });
    return attempts === 1 ? Promise.reject(failed) : Promise.resolve(attempts);
  });
}

test.each([0, 502, 503, 504])('no server, or the answer %i of a proxy without one, is asked again', async (status) => {
  expect(await attempt({ status, code: 'unavailable' })).toBe(2);
});

test('an error of the server itself is reported at once, with any status', async () => {
  await expect(attempt({ status: 502, code: 'scheduler.failed' })).rejects.toMatchObject({ code: 'scheduler.failed' });
  await expect(attempt({ status: 409, code: 'unavailable' })).rejects.toMatchObject({ code: 'config' });
});
