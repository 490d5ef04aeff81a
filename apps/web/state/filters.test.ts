import type { SessionView } from '@klaus/server/contract';
import { expect, test } from 'vitest';
import { isShown, parseFilters, toSearch, type Filters } from './filters.ts';

test('filters survive the address, with other parameters of it', () => {
  const filters: Filters = {
    project: '/srv/a b&c',
    state: 'failed',
    model: 'anthropic/x',
    period: 'week',
    archived: true,
    text: 'a & b = c#d',
  };
  const search = toSearch(filters, '?other=1&state=done');
  expect(parseFilters(search)).toEqual(filters);
  expect(new URLSearchParams(search).get('other')).toBe('1');
  expect(toSearch({}, search)).toBe('?other=1');
  expect(toSearch({}, '?state=done')).toBe('');
});

test('invalid values of an address are ignored', () => {
  expect(parseFilters('?state=none&period=year&archived=yes&q=&project=')).toEqual({});
});

test('a session is compared with all filters', () => {
  const now = Date.parse('2026-01-31T12:00:00Z');
  const session = {
    state: 'done',
    model: 'anthropic/x',
    workspace: '/w',
    project: '/p',
    updatedAt: '2026-01-30T13:00:00.000Z',
  } as SessionView;
  const fits = (filters: Filters, change: Partial<SessionView> = {}) =>
    isShown({ ...session, ...change }, filters, now);
  expect(fits({})).toBe(true);
  expect(fits({}, { archived: true })).toBe(false);
  expect(fits({ archived: true }, { archived: true })).toBe(true);
  expect(fits({ archived: true })).toBe(false);
  expect(fits({ project: '/p' })).toBe(true);
  expect(fits({ project: '/w' })).toBe(false);
  expect(fits({ model: 'anthropic/y' })).toBe(false);
  expect(fits({ state: 'done', period: 'day' })).toBe(true);
  expect(fits({ period: 'day' }, { updatedAt: '2026-01-30T11:59:59.000Z' })).toBe(false);
  expect(fits({ period: 'older' }, { updatedAt: '2025-12-30T11:59:59.000Z' })).toBe(true);
  expect(fits({ period: 'older' })).toBe(false);
});
