// Covers adapters/store/sqlite/queries: states of sessions that are read without the engine.
import { expect, test } from 'vitest';
import { MIGRATIONS } from '../migrations/migrate.ts';
import { LATEST_MIGRATION } from './session-states.ts';

test('the version that is read without the engine is that of the last migration', () => {
  expect(LATEST_MIGRATION).toBe(MIGRATIONS.at(-1)!.name);
});
