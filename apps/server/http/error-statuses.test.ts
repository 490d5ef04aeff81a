import { expect, test } from 'vitest';
import { ERROR_STATUSES } from './error-statuses.ts';

test('only a fault of the server, its database or its scheduler is 5xx', () => {
  const faults = Object.entries(ERROR_STATUSES).flatMap(([code, status]) => (status >= 500 ? [code] : []));
  expect(faults.toSorted()).toEqual(['internal', 'scheduler.failed', 'store.corrupt', 'store.full']);
});
