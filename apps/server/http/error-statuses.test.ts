import { ERROR_CODES } from '@klaus/core/protocol';
import { expect, test } from 'vitest';
import { ERROR_STATUSES } from './error-statuses.ts';

test('only a fault of the server, its database or its scheduler is 5xx', () => {
  const faults = ERROR_CODES.filter((code) => ERROR_STATUSES[code] >= 500);
  expect(faults.toSorted()).toEqual(['internal', 'scheduler.failed', 'store.corrupt', 'store.full']);
});
